"""Masks the message of a database error, which may quote values of rows.

What stays are words of the SQL, which is stored beside it, and words that error messages are made of. Everything else
becomes `…`. A masked message stays as it is when it is masked again: an event may be written and read several times.
"""

from __future__ import annotations

import re

LONGEST_KEPT = 300
"""Characters kept of a message."""
_READ = 2_000
"""Characters read of a message."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_NAME = re.compile(r"[^\W\d]\w*")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_CODE = re.compile(r"(?:08|22|25|28|40|42|53|54|55|57|58)(?:\d{3}|[0-9A-Z]{3})", re.ASCII)
_MARKS = frozenset(".,:;()=<>*'\"`_-")
_HIDDEN = "…"
_MASKED = re.compile(r"[\s.,:;()=<>*'\"`_-]*…[\s…]*(?:[\s.,:;()=<>*'\"`_-]*…)*[\s'\"`)]*")
_WORDS = frozenset(
    """
    a abort aborted access account after aggregate allowed already ambiguous an and any argument arguments array as
    assigned at attempt authentication authorization authorized be because before between bigint binary boolean busy by
    call called can canceled cancelling canceling cancelled cannot cast catalog char character clause client close
    closed code column columns compare conflict conflicting connect connection connections constraint contain contains
    context conversion convert converting corrupt could create cursor data database datatype date datetime db deadlock
    decimal defined denied detected did digit disk distinct division does doesn domain double due duplicate end engine
    error errors exceed exceeded exception executing execution exist exists expected expecting expression failed failure
    fatal field file float for format found from full function functions grant group has have having hint host i id
    identifier illegal implicit in incompatible incomplete incorrect input insufficient int integer internal interrupted
    interval into invalid io is isn it join json key keyword killed limit limits line list lock locked lost malformed
    many match matches max maximum memory message min misplaced missing misuse more must name named near network no
    nonaggregated not null number numeric object of on one only open operand operands operation operational operator
    operators or order out outer over overflow overlaps parameter parenthesis parse parser parsing password perhaps
    permission permissions position possible privilege privileges procedure programming query quota range rate read real
    recursive recursion reference referenced references refused relation request requests required reserved reset
    resource resources result returned returns role row rows runtime same scalar schema select server session set
    should shutdown side size socket specified sql sqlstate state statement statements stopped stream string subquery
    such supported syntax table tables temporarily terminated terminating text than that the there this throttled time
    timed timeout timestamp to token tokens too transaction truncated try type types unable unavailable undefined
    unexpected union unique unknown unrecognized unresolved unsupported unterminated up usage use used user using value
    values varchar varying view warehouse was where while window wire with within without write written wrong year you
    zero
    """.split()
)


def mask_error(error: str, sql: str) -> str:
    """The message with every word hidden that neither the SQL nor error messages have.

    >>> mask_error('invalid input syntax for type integer: "Ann Lee, 12 Elm St"', "SELECT id FROM t")
    'invalid input syntax for type integer …'
    >>> mask_error("no such column: t.nam", "SELECT t.nam FROM t")
    'no such column: t.nam'
    """
    names = {each.lower() for each in _NAME.findall(sql)} if error else frozenset[str]()
    text = _kept(" ".join(error[:_READ].split()), names)
    return _shortened(_MASKED.sub(f" {_HIDDEN} ", text).strip())


def _kept(line: str, names: frozenset[str] | set[str]) -> str:
    """The message with what is hidden replaced."""
    masked: list[str] = []
    end = 0
    for token in _TOKEN.finditer(line):
        masked.append(line[end : token.start()])
        end = token.end()
        stays = _is_code(token.group(), masked) or _stays(token.group(), names)
        masked.append(token.group() if stays else _HIDDEN)
    return "".join(masked)


def _is_code(token: str, masked: list[str]) -> bool:
    """Whether it is an SQLSTATE: what only looks like one may be any number, but not first or after the word.

    `masked` is the message before it, where a hidden word that ends in `code` is none.
    """
    if _CODE.fullmatch(token) is None:
        return False
    before = "".join(masked).lower().rstrip(" :=(")
    return not before or before.endswith(("state", "code"))


def _stays(token: str, names: frozenset[str] | set[str]) -> bool:
    if token in _MARKS or token == _HIDDEN or token.lower() in names:
        return True
    parts = _CAMEL.findall(token)
    return "".join(parts) == token and bool(parts) and all(each.lower() in _WORDS for each in parts)


def _shortened(text: str) -> str:
    if len(text) <= LONGEST_KEPT:
        return text
    return text[: LONGEST_KEPT - 2].rpartition(" ")[0].rstrip(f" {_HIDDEN}") + f" {_HIDDEN}"
