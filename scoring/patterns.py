"""Regular expressions that are compiled when they are first used: most processes use few of the hundreds there are."""

from __future__ import annotations

import re
from typing import Any, cast


class _Lazy:
    """Stands for a compiled pattern until one of its attributes is asked for, and hands out those of the pattern."""

    def __init__(self, source: str, flags: int) -> None:
        self._given = (source, flags)

    def __getattr__(self, name: str) -> Any:
        """The attribute of the compiled pattern, kept here: the next use costs no more than that of the pattern."""
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(re.compile(*self._given), name)
        setattr(self, name, value)
        return value


def lazy(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled when it is first used; a broken one raises `re.error` then.

    It is no `re.Pattern` for `isinstance` and `re.sub`, and `match.re` is the compiled one: ask it by its methods.

    >>> word = lazy("[a-z]+")
    >>> word.search("12 ab").group(), word.search("cd").group()
    ('ab', 'cd')
    """
    return cast("re.Pattern[str]", _Lazy(source, flags))
