"""Writes learned rules into the instructions for a model, and reads which of them its reply applied.

The rules are the operator's text, but a model wrote them from questions of strangers: they are bounded, cleaned and
encoded as data is, between lines that say what a rule may speak about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import cast

from consumers.judging.prompting import Template, as_list
from scoring.learned_rules import LearnedRules

_PLACE = "{rules}"


@lru_cache(maxsize=256)
def with_rules(template: Template, section: Template, learned: LearnedRules) -> Template:
    """The prompt file with the rules at its end, as `section` presents them. Its version names both and the set."""
    rules = as_list(
        [{"number": number, "side": each.side.value, "text": each.text} for number, each in enumerate(learned.rules, 1)]
    )
    return replace(
        template,
        version="+".join((template.version, section.version)) + learned.suffix,
        system=f"{template.system.rstrip()}\n\n{section.system.replace(_PLACE, rules)}",
        rules=len(learned.rules),
    )


def rules_applied(said: object, rules: int) -> tuple[int, ...]:
    """The numbers of rules in a reply, from 1 to the number of rules, each once; others are left out.

    >>> rules_applied([2, 2, 9, True, "1"], 3)
    (2,)
    """
    if not isinstance(said, list):
        return ()
    numbers = [each for each in cast("Sequence[object]", said) if isinstance(each, int) and not isinstance(each, bool)]
    return tuple(dict.fromkeys(each for each in numbers if 1 <= each <= rules))
