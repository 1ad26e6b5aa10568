"""Types that list their values: ENUM, declared in place or with a name, and SET. Their values sort as declared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import compress, product

from sqlglot import exp

_MOST_MEMBERS = 5
"""Members of a SET up to which all its values are listed."""
_QUOTED = r"'((?:[^']|'')*)'"
_DECLARED = re.compile(r"\s*TYPE\s+(\S+)\s+AS\s+ENUM\s*\((.*)\)\s*;?\s*", re.IGNORECASE | re.DOTALL)
_ADDED = re.compile(
    rf"\s*TYPE\s+(\S+)\s+ADD\s+VALUE\s+(?:IF\s+NOT\s+EXISTS\s+)?{_QUOTED}(?:\s+(BEFORE|AFTER)\s+{_QUOTED})?\s*;?\s*",
    re.IGNORECASE,
)
_RENAMED = re.compile(rf"\s*TYPE\s+(\S+)\s+RENAME\s+VALUE\s+{_QUOTED}\s+TO\s+{_QUOTED}\s*;?\s*", re.IGNORECASE)


def values_of(kind: exp.DataType) -> tuple[str, ...]:
    """The values of an ENUM in their order, and of a short SET; none of another type.

    >>> values_of(exp.DataType.build("SET('red', 'blue')", dialect="mysql"))
    ('', 'red', 'blue', 'red,blue')
    """
    members = tuple(each.name for each in kind.expressions if isinstance(each, exp.Literal))
    if kind.this is exp.DType.SET:
        return _subsets(members) if len(members) <= _MOST_MEMBERS else ()
    enum = kind.this in {exp.DType.ENUM, exp.DType.ENUM8, exp.DType.ENUM16}
    return members if enum else ()


def _subsets(members: tuple[str, ...]) -> tuple[str, ...]:
    """The values of a SET in their order: each member is a bit, the first the lowest."""
    chosen = product((False, True), repeat=len(members))
    return tuple(",".join(compress(members, reversed(each))) for each in chosen)


def named_type(kind: exp.DataType) -> str:
    """The name of a type as `CREATE TYPE` declares it, without its schema."""
    return type_name(kind.sql())


def type_name(written: str) -> str:
    """The last part of a name of a type, in lower case.

    >>> type_name('public."Size"')
    'size'
    """
    return written.lower().rpartition(".")[2].strip('"')


def enum_declared(statement: str) -> dict[str, tuple[str, ...]]:
    """The type that a `CREATE TYPE` declares which the dialect's parser left as text; none where it is another.

    >>> enum_declared("TYPE size AS ENUM ('s', 'l')"), enum_declared("DOMAIN size AS INT")
    ({'size': ('s', 'l')}, {})
    """
    found = _DECLARED.fullmatch(statement)
    return {} if found is None else {type_name(found[1]): tuple(map(_text, re.findall(_QUOTED, found[2])))}


def altered(statement: str, enums: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]] | None:
    """The types after `ALTER TYPE`; `None` where the statement does something else.

    >>> altered("TYPE size ADD VALUE 'm' BEFORE 'l'", {"size": ("s", "l")})
    {'size': ('s', 'm', 'l')}
    """
    added, renamed = _ADDED.fullmatch(statement), _RENAMED.fullmatch(statement)
    found = added or renamed
    name = type_name(found[1]) if found is not None else ""
    if found is None or name not in enums:
        return None
    values = list(enums[name])
    if renamed is not None:
        values = [_text(renamed[3]) if each == _text(renamed[2]) else each for each in values]
    elif (value := _text(found[2])) not in values:
        beside = _text(found[4]) if found[4] is not None else None
        place = values.index(beside) + (found[3].upper() == "AFTER") if beside in values else len(values)
        values.insert(place, value)
    return {**enums, name: tuple(values)}


def _text(quoted: str) -> str:
    return quoted.replace("''", "'")
