"""Reads the aggregations and ratios that a question asks for."""

from __future__ import annotations

from scoring.question.language import Role
from scoring.question.marks import Mark
from scoring.question.phrases import phrase_at
from scoring.question.reading import Reading
from scoring.specification import Aggregation, Ratio, RatioKind, TokenKind


def read_aggregations(reading: Reading) -> list[Aggregation]:
    """`how many`, `total`, `average` …, each with its phrase."""
    found: list[Aggregation] = []
    for mark in reading.marks_of(Role.AGGREGATE):
        if reading.claimed[mark.start]:
            continue
        if _is_repeated(reading, mark) or _is_meant(reading, mark) or _is_told(reading, mark):
            continue
        phrase, distinct = (_summed(reading), False) if mark.cue.trailing else _column(reading, mark)
        found.append(Aggregation(func=mark.cue.func, column=phrase, distinct=mark.cue.distinct or distinct))
    return found


def _is_meant(reading: Reading, mark: Mark) -> bool:
    """`I mean the different ones`."""
    return reading.lowers[mark.start] == "mean" and reading.lower(mark.start - 1) in ("i", "we", "you", "they")


def _is_told(reading: Reading, mark: Mark) -> bool:
    """`only count jobs over 2000 words` says which rows count, `don't average` what is not wanted."""
    return reading.lower(mark.start - 1) in _TOLD and mark.end - mark.start == 1


_TOLD = frozenset({"only", "just", "not", "don't", "dont"})


def _is_repeated(reading: Reading, mark: Mark) -> bool:
    """Whether another cue means the same: `total number of X` and `how many X in total` are one count."""
    if mark.cue.trailing:
        return _repeats_before(reading, mark)
    following, before = reading.starts.get(mark.end), reading.ends.get(mark.start)
    if mark.cue.func in ("SUM", "COUNT") and before is not None and before.cue.func == "AVG":
        return True  # `average total basket`, `avg # of tickets`
    if following is None:
        return False
    counted = following.cue.role is Role.AGGREGATE and following.cue.func == "COUNT"
    return (mark.cue.func == "SUM" and counted) or (mark.cue.func == "COUNT" and following.cue.role is Role.RATIO)


def _repeats_before(reading: Reading, mark: Mark) -> bool:
    """Whether `all together` bounds a total (`billed over 20k eur all together`), or ends what has its own cue."""
    if any(reading.tokens[at].kind is TokenKind.NUMBER for at in range(max(mark.start - 2, 0), mark.start)):
        return True
    others = [each for each in reading.marks_of(Role.AGGREGATE) if not each.cue.trailing]
    return any(_column(reading, each)[0] not in reading.language.measures for each in others)


def _summed(reading: Reading) -> str:
    """What `in total` sums: the noun after `how much`, if any."""
    asked = next((mark for mark in reading.marks_of(Role.ASK) if mark.cue.func), None)
    start, end = phrase_at(reading, asked.end) if asked is not None else (0, 0)
    return reading.span(start, end).lower()


def _column(reading: Reading, mark: Mark) -> tuple[str, bool]:
    """The phrase after an aggregate; in `average and maximum age` the one after the last of them."""
    at, distinct = mark.end, False
    while at < len(reading.tokens) and _passes(reading, at, mark):
        found = reading.starts.get(at)
        distinct = distinct or (found is not None and found.cue.role is Role.DISTINCT)
        at = found.end if found is not None else at + 1
    start, end = phrase_at(reading, at)
    return reading.span(start, end).lower(), distinct


_PASSED = (Role.AGGREGATE, Role.SUPERLATIVE, Role.DISTINCT)


def _passes(reading: Reading, at: int, mark: Mark) -> bool:
    """Whether the words there stand between an aggregate and its column."""
    if at in reading.starts:
        return reading.has_role(at, *_PASSED)
    word = reading.lowers[at]
    if word in reading.language.articles or (at == mark.end and word in reading.language.of):
        return True
    joins = word == "," or word in reading.language.conjunctions
    return joins and reading.has_role(at + 1, Role.AGGREGATE, Role.SUPERLATIVE)


_PERCENT = frozenset({"%", "percent", "pct"})


def read_ratios(reading: Reading) -> list[Ratio]:
    """Percentages, ratios, rates and differences, each with its phrase."""
    found: list[Ratio] = []
    for mark in reading.marks_of(Role.RATIO):
        if (
            reading.lowers[mark.start] in _PERCENT
            and mark.start
            and reading.tokens[mark.start - 1].kind is TokenKind.NUMBER
        ):
            continue
        start, end = phrase_at(reading, mark.end + (reading.lower(mark.end) in reading.language.of))
        found.append(
            Ratio(
                kind=mark.cue.ratio or RatioKind.RATIO,
                phrase=reading.span(start, end) or reading.span(mark.start, mark.end),
                start=reading.tokens[mark.start].start,
            )
        )
    return found
