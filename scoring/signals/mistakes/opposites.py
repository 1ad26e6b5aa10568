"""Signals about a column of the opposite kind."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.unmet.roles import side_of_other
from scoring.signals.mistakes.unmet.senseless import makes_no_sense
from scoring.signals.mistakes.unmet.sums import added_otherwise
from scoring.signals.mistakes.unmet.times.lateness import late_read_as_early
from scoring.signals.mistakes.wording import asked, cue, said_stems
from scoring.signals.unit_names import is_unit
from scoring.specification import Op, SqlFilter
from scoring.values import Text
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_OPPOSITES = (
    ("net", "gross"),
    ("list", "net sale discounted"),
    ("actual", "planned scheduled budget budgeted estimated expected forecast target promised"),
    ("planned scheduled budgeted estimated expected", "actual"),
    ("billing", "shipping delivery"),
    ("shipping delivery", "billing"),
    ("home", "away"),
    ("sender", "receiver recipient"),
    ("origin departure source", "destination arrival target"),
    ("destination arrival", "origin departure source"),
    ("buyer", "seller"),
    ("debit", "credit"),
    ("selling retail sale", "purchase cost buying"),
    ("purchase buying", "selling retail sale"),
    ("current", "previous original initial old"),
    ("original initial previous", "current new"),
    ("opening", "closing"),
    ("permanent", "temporary"),
    ("inbound incoming", "outbound outgoing"),
    ("outstanding remaining", "original initial"),
    ("paid", "billed invoiced claimed"),
    ("sold", "asking"),
    ("discharged", "admitted"),
)
_PAIRS = [
    (frozenset(map(stem, said_.split())), frozenset(map(stem, read.split())))
    for one, other in _OPPOSITES
    for said_, read in ((one, other), (other, one))
]
_KINDS = frozenset[str]().union(*(other for _, other in _PAIRS))


def kinds_opposed(named: tuple[str, ...], read: tuple[str, ...]) -> bool:
    """Whether the words of one name hold a kind, and those of another only the opposite kind.

    >>> kinds_opposed(("net", "weight"), ("gross", "weight")), kinds_opposed(("net",), ("weight",))
    (True, False)
    """
    if _KINDS.isdisjoint(read) or _KINDS.isdisjoint(named):
        return False
    return any(
        not one.isdisjoint(named) and one.isdisjoint(read) and not other.isdisjoint(read) and other.isdisjoint(named)
        for one, other in _PAIRS
    )


def column_of_opposite_kind(case: Case) -> Finding | None:
    """A word of the question says which of two columns is meant, and the SQL reads the other one.

    Net is not gross, and what was planned is not what was. Nor are refunds taken off where a sum of both adds them.

    >>> column_of_opposite_kind(case("What is the net weight of all parcels?",
    ...     "SELECT SUM(gross_weight) FROM parcels")).detail
    'expected → actual: net → gross_weight'
    """
    added = added_otherwise(case)
    if added is not None:
        return added
    found = _other_kind(case) or _side_of_other(case) or _done_by_other(case) or _way_back(case) or _other_end(case)
    other = side_of_other(case) or late_read_as_early(case) or makes_no_sense(case) if found is None else None
    return Finding(1.0, other) if other is not None else found


def _other_kind(case: Case) -> Finding | None:
    """A column of the opposite kind is read, and none of the kind that is asked for."""
    read = {word for column in case.sql.columns for word in identifier_words(column.name)}
    if _KINDS.isdisjoint(read) or _shows_both(case):
        return None
    stems = case.question.stems
    pairs = [pair for pair in _PAIRS if not pair[0].isdisjoint(stems) and pair[0].isdisjoint(read)]
    spoken = said_stems(case) if pairs else set[str]()
    for wanted, other in pairs:
        odd = _column_of(other, spoken, case) if other.isdisjoint(spoken) else None
        if odd is not None:
            return differing(min(wanted & stems), odd)
    return None


def _shows_both(case: Case) -> bool:
    """Whether columns of both kinds are shown side by side: gross and net."""
    shown = {word for each in case.answer for column in each.operand.columns for word in identifier_words(column.name)}
    return len(shown & _KINDS) > 1


_SIDES = (
    (
        cue("receive incoming inbound", r"\b(?:received|receive|incoming|inbound)\b(?! from)"),
        frozenset("callee receiver recipient payee to".split()),
        frozenset("caller sender payer".split()),
    ),
    (
        cue(
            "made placed sent wrote outgoing outbound initiated make place",
            r"(?<!was )(?<!were )(?<!been )\b(?:made|placed|sent|wrote|outgoing|outbound|initiated)\b(?! to)"
            r"|\b(?:did|does|do) (?:\w+ ){1,4}?(?:make|place)\b",
        ),
        frozenset("caller sender payer initiator from".split()),
        frozenset("callee receiver recipient payee".split()),
    ),
    (
        cue("departures departing", r"\bdepartures?\b|\bdeparting\b"),
        frozenset("start origin orig departure depart from source".split()),
        frozenset("end destination dest arrival arrive".split()),
    ),
    (
        cue("arrivals arriving", r"\barrivals?\b|\barriving\b"),
        frozenset("end destination dest arrival arrive to".split()),
        frozenset("start origin orig departure depart".split()),
    ),
    (
        cue("ship deliver", r"\bship(?:ped|ping)?[- ]to\b|\bdeliver(?:ed|y)?[- ]to\b"),
        frozenset("ship shipping delivery deliver".split()),
        frozenset("bill billing".split()),
    ),
    (
        cue("bill", r"\bbill(?:ed|ing)?[- ]to\b|\b(?:is|are|was|were|we) bill(?:ed)? (?:in|to)\b"),
        frozenset("bill billing".split()),
        frozenset("ship shipping delivery".split()),
    ),
    (
        cue("work", r"\bwhere (?:they|people|staff|employees|we|everyone|each \w+) works?\b|\bplaces? of work\b"),
        frozenset("work office workplace site branch job".split()),
        frozenset("home residence living private".split()),
    ),
    (
        cue("live", r"\bwhere (?:they|people|staff|employees|customers|everyone|each \w+) lives?\b(?! ?[!)])"),
        frozenset("home residence living private".split()),
        frozenset("office workplace work".split()),
    ),
    (
        cue(
            "after excl ex net without",
            r"\bafter (?:the |all )?(?:\w+ )?(?:fees?|tax(?:es)?|deductions?|commissions?)\b"
            r"|\b(?:excl\w*\.?|excluding|without|net of|ex) (?:vat|tax(?:es)?|fees?)\b",
        ),
        frozenset("net after payout excl ex".split()),
        frozenset("gross incl".split()),
    ),
    (
        cue(
            "before incl with",
            r"\b(?:incl\w*\.?|including|with) (?:vat|tax(?:es)?|fees?|deductions?)\b|\bbefore (?:fees?|deductions?)\b",
        ),
        frozenset("gross vat tax incl".split()),
        frozenset("net excl".split()),
    ),
    (
        cue("sold", r"\bsold for\b|\bsale prices?\b"),
        frozenset("sold sale sales selling closing final".split()),
        frozenset("asking list listed".split()),
    ),
)
"""What the question says, words of columns that it means, and words of those that it does not."""


def _side_of_other(case: Case) -> Finding | None:
    """Who received something is looked for among those who sent it, or the other way round."""
    names = sorted({column.name for column in case.sql.columns if not is_time(column.name)})
    read = {name: {*name.split("_"), *identifier_words(name)} for name in names}
    words = set[str]().union(*read.values())
    for pattern, wanted, odd in _SIDES:
        if odd.isdisjoint(words) or not wanted.isdisjoint(words):
            continue
        match = pattern.search(asked(case))
        if match is not None and odd.isdisjoint(said_stems(case)):
            return differing(match.group(), next(name for name in names if read[name] & odd))
    return None


_WAY = lazy(r"\b(?:from )?([a-z]{3,})(?: over| down| up| across)? (?:to|->|→|–) ([a-z]{3,})\b")
_FROM = frozenset(map(stem, "origin departure source start from pickup sender".split()))
_TO = frozenset(map(stem, "destination arrival target end to dropoff receiver".split()))


def _way_back(case: Case) -> Finding | None:
    """A way from one place to another is asked for, and the SQL tests the two places the other way round."""
    tests = [each for each in case.sql.filters if each.op is Op.EQ and isinstance(each.rhs, Text) and each.lhs]
    for match in _one_way(asked(case)) if len(tests) > 1 else ():
        back = (
            [each for each in tests if _is_at(each, match[2], _FROM)],
            [each for each in tests if _is_at(each, match[1], _TO)],
        )
        if all(back):
            return differing(match.group(), f"{back[0][0].text} and {back[1][0].text}")
    return None


def _one_way(text: str) -> list[re.Match[str]]:
    """The ways that a text names, unless it names one of them in both directions."""
    ways = {(match[1], match[2]): match for match in _WAY.finditer(text)}
    both = _BOTH_WAYS.search(text) is not None or any(way[::-1] in ways for way in ways)
    return [] if both else list(ways.values())


_DOER = lazy(
    r"\b([a-z]{3,}) (?:who|that|which)(?: have| has|'ve)? (sent|wrote|received|got)\b"
    r"|\bwhich ([a-z]{3,})(?: have| has)? (sent|wrote|received|got)\b"
)
_GIVING = _FROM | frozenset("caller payer author src".split())
_TAKING = _TO | frozenset("recipient callee payee dest".split())


def _done_by_other(case: Case) -> Finding | None:
    """Who sent something is joined as the one who gets it, or the other way round: `branches that sent us stock`."""
    found = _DOER.search(asked(case))
    if found is None:
        return None
    doer, verb = stem(found[1] or found[3]), found[2] or found[4]
    wanted, odd = (_GIVING, _TAKING) if verb in ("sent", "wrote") else (_TAKING, _GIVING)
    read = {name: {*name.split("_"), *identifier_words(name)} for name in _joined_to(doer, case)}
    if not all(words.isdisjoint(wanted) for words in read.values()):
        return None
    wrong = next((name for name, words in read.items() if not words.isdisjoint(odd)), None)
    return differing(f"{doer} {verb}", wrong) if wrong is not None else None


def _joined_to(thing: str, case: Case) -> list[str]:
    """The columns of other tables that a thing's table is joined by."""
    pairs = [pair for join in case.sql.joins for pair in join.pairs]
    both = [(own, other) for pair in pairs for own, other in (pair, pair[::-1])]
    return [other.name for own, other in both if own.table is not None and thing in identifier_words(own.table)]


_OLD = _FROM | {"old", "previous"}
_NEW = _TO | {"new"}


def _other_end(case: Case) -> Finding | None:
    """Something from a place or a person is asked for, and the column of where it goes to is tested for them."""
    if _BOTH_WAYS.search(asked(case)):
        return None
    for each in case.sql.filters:
        if each.op is Op.EQ and isinstance(each.rhs, Text) and each.lhs is not None:
            words = {word for column in each.lhs.columns for word in identifier_words(column.name)}
            named = _at_other_end(words, each.rhs.folded, asked(case))
            if named is not None:
                return differing(named, each.text)
    return None


def _at_other_end(words: set[str], value: str, text: str) -> str | None:
    """How a text names a value, if the words of a column say the other end."""
    olds, news = not words.isdisjoint(_OLD), not words.isdisjoint(_NEW)
    named = re.search(rf"\b(from|to|into|out of) {re.escape(value)}\b", text) if olds is not news else None
    return named.group() if named is not None and olds is not (named[1] in ("from", "out of")) else None


_BOTH_WAYS = lazy(
    r"\bway (?:round|around|back)\b(?!,? (?:i |we )?(?:do|don|is|isn|does|doesn)\b)"
    r"|\b(?:both|either|each|other|opposite) (?:directions?|ways?)\b|\bvice versa\b"
)


def _is_at(each: SqlFilter, place: str, end: frozenset[str]) -> bool:
    """Whether a condition tests a column of one end for a place."""
    words = {word for column in (each.lhs.columns if each.lhs else ()) for word in identifier_words(column.name)}
    return isinstance(each.rhs, Text) and each.rhs.folded == place and not words.isdisjoint(end)


def _column_of(kind: frozenset[str], spoken: set[str], case: Case) -> str | None:
    """The first column of a kind whose other words are spoken: `gross_weight` for a weight."""
    for name in sorted({column.name for column in case.sql.columns}):
        words = set(identifier_words(name))
        others = words - kind
        if kind & words and (not spoken.isdisjoint(others) or (others and all(map(is_unit, others)))):
            return name
    return None
