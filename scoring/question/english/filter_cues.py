"""English phrases of conditions: comparisons, negations, text matches, names and times."""

from __future__ import annotations

from scoring.question.calendar.moments import UNIT_EARLIER, YEAR_EARLIER
from scoring.question.english.tables import each, merged
from scoring.question.language import Cue, Role
from scoring.specification import Op
from scoring.values import Grain, RelativeTime


def _compare(op: Op, phrases: str) -> dict[str, Cue]:
    return each(phrases, Cue(role=Role.COMPARE, op=op))


_MORE, _LESS = ("more", "greater", "higher"), ("less", "fewer", "lower")
_HAVING = ("with", "has", "have", "had", "having")
COMPARISONS = merged(
    [
        _compare(Op.LE, ", ".join(f"{word} no {more} than" for word in _HAVING for more in _MORE)),
        _compare(Op.GE, ", ".join(f"{word} no {less} than" for word in _HAVING for less in _LESS)),
        _compare(
            Op.GE,
            "at least, min, min., no less than, not less than, no fewer than, not fewer than, a minimum of, "
            "minimum of, ≥, >=, "
            "≥, >=, "
            "greater than or equal to, more than or equal to, equal to or greater than, equal to or more than, "
            "larger than or equal to, higher than or equal to, not below, not under, since, starting from, "
            "in or after, on or after, at or above, at or after, no earlier than, upwards of, not "
            "lower than, not smaller than",
        ),
        _compare(
            Op.GT,
            "more than, over, above, exceeding, exceeds, exceed, exceeded, greater than, larger than, higher than, "
            "bigger than, better than, in excess of, >, after, later than, beyond, surpassing, surpasses, not more "
            "recent than, subsequent to, following",
        ),
        _compare(
            Op.LE,
            "at most, no more than, not more than, up to, no greater than, not greater than, a maximum of, ≤, <=, "
            "less than or equal to, fewer than or equal to, lower than or equal to, smaller than or equal to, equal "
            "to or less than, equal to or fewer than, not exceeding, does not exceed, do not exceed, no higher "
            "than, not higher than, no larger than, not above, not over, until, till, no later than, by the end of, "
            "in or before, on or before, at or below, at or before",
        ),
        _compare(
            Op.LT,
            "less than, under, below, fewer than, lower than, smaller than, before, prior to, earlier than, <, "
            "inferior to, worse than, lesser than",
        ),
        _compare(Op.EQ, "exactly, precisely, equal to, equals, equal, is equal to, ="),
        _compare(Op.NE, "not equal to, !=, <>, does not equal"),
    ]
)

_HINTED = {
    "older": ("age", Op.GT),
    "younger": ("age", Op.LT),
    "taller": ("height", Op.GT),
    "shorter": ("", Op.LT),
    "heavier": ("weight", Op.GT),
    "lighter": ("", Op.LT),
    "longer": ("", Op.GT),
    "costlier": ("price", Op.GT),
    "more expensive": ("price", Op.GT),
    "cheaper": ("price", Op.LT),
    "less expensive": ("price", Op.LT),
    "faster": ("", Op.GT),
    "slower": ("", Op.LT),
    "wider": ("", Op.GT),
    "deeper": ("", Op.GT),
    "newer": ("", Op.GT),
}
ADJECTIVES = (
    {f"{word} than": Cue(role=Role.COMPARE, op=op, phrase=phrase) for word, (phrase, op) in _HINTED.items()}
    | {
        f"or {word}": Cue(role=Role.SUFFIX, op=Op.GE if op is Op.GT else Op.LE, phrase=phrase)
        for word, (phrase, op) in _HINTED.items()
    }
    | {
        f"and {word}": Cue(role=Role.SUFFIX, op=Op.GE if op is Op.GT else Op.LE, phrase=phrase)
        for word, (phrase, op) in _HINTED.items()
    }
)
SUFFIXES = {
    f"{joiner} {word}": Cue(role=Role.SUFFIX, op=op)
    for joiner in ("or", "and")
    for op, words in (
        (
            Op.GE,
            "more, above, over, greater, higher, better, later, larger, bigger, up, after, onwards, beyond, upwards",
        ),
        (Op.LE, "less, below, under, fewer, lower, earlier, smaller, before, down"),
    )
    for word in words.split(", ")
} | each("onwards, onward, and up", Cue(role=Role.SUFFIX, op=Op.GE))

NEGATIONS = merged(
    [
        each(
            "not, isn't, aren't, wasn't, weren't, cannot, can't, is not, are not, was not, were not, nor, neither",
            Cue(role=Role.NOT),
        ),
        each(
            "other than, except, except for, excluding, excludes, exclude, besides, apart from, aside from, but "
            "not, different from, with the exception of, excepting, outside, outside of, leaving out, omitting, skip "
            "anything, ignore anything, drop anything, exclude anything, leave out anything, skip those, ignore those, "
            "drop those, leave out those, skip any, ignore any, leave out any, ignore the, "
            "ignoring the, skip the, leave out the, kick out the, throw out the, filter out the, drop the, remove the, "
            "what doesn't count are, what does not count are",
            Cue(role=Role.EXCEPT),
        ),
        each(
            "without, without any, nothing, nobody, no one, with no, with zero, has no, have no, had no, having "
            "no, lack, lacks, lacking, lacked, that lack, do not have, does not have, did not have, don't have, "
            "doesn't have, didn't have, do not have any, does not have any, did not have any, don't have any, "
            "doesn't have any, have not any, hasn't any, there is no, there are no, free of, missing, do not "
            "own, does not own, did not own, don't own, doesn't own, didn't own, do not own any, does not own "
            "any",
            Cue(role=Role.LACK),
        ),
        each(
            "never, do not, does not, did not, don't, doesn't, didn't, has not, have not, had not, hasn't, haven't, "
            "hadn't, has never, have never, had never, was never, were never, are never, is never",
            Cue(role=Role.NEVER),
        ),
    ]
)
MATCHES = merged(
    [
        each(
            "contain, contains, containing, contained, that contain, includes the word, include the word, including "
            "the word, includes the letter, including the substring, includes the substring, includes the string, "
            "with the word, with the letter, with the letters, with the substring, having the letter, has the "
            "letter, have the letter, has the word, have the word, have the substring, has the substring, with the "
            "string, has the string, have the string, mention, mentions, mentioning, has the character, with the "
            "character, like",
            Cue(role=Role.MATCH, op=Op.CONTAINS),
        ),
        each(
            "start with, starts with, starting with, started with, begin with, begins with, beginning with, start "
            "from, prefixed with, prefixed by, with the prefix, start in the letter",
            Cue(role=Role.MATCH, op=Op.STARTS_WITH),
        ),
        each(
            "end with, ends with, ending with, ended with, ending in, ends in, end in, suffixed with, with the suffix",
            Cue(role=Role.MATCH, op=Op.ENDS_WITH),
        ),
    ]
)
NAMES = each("named, called, nicknamed, known as", Cue(role=Role.NAMED, phrase="name")) | {
    "titled": Cue(role=Role.NAMED, phrase="title"),
    "entitled": Cue(role=Role.NAMED, phrase="title"),
}


TIMES = (
    {
        "yesterday": RelativeTime(Grain.DAY, -1, 0, whole=True),
        "today": RelativeTime(Grain.DAY, 0, 1, whole=True),
        "tomorrow": RelativeTime(Grain.DAY, 1, 2, whole=True),
        "yday": RelativeTime(Grain.DAY, -1, 0, whole=True),
        "yesterdays": RelativeTime(Grain.DAY, -1, 0, whole=True),
        "todays": RelativeTime(Grain.DAY, 0, 1, whole=True),
        "tmrw": RelativeTime(Grain.DAY, 1, 2, whole=True),
        "year to date": RelativeTime(Grain.YEAR, 0, None, whole=True),
        "month to date": RelativeTime(Grain.MONTH, 0, None, whole=True),
        "quarter to date": RelativeTime(Grain.QUARTER, 0, None, whole=True),
        "ytd": RelativeTime(Grain.YEAR, 0, None, whole=True),
        "mtd": RelativeTime(Grain.MONTH, 0, None, whole=True),
        "qtd": RelativeTime(Grain.QUARTER, 0, None, whole=True),
        "same month last year": RelativeTime(Grain.MONTH, -12, -11, whole=True),
        "same quarter last year": RelativeTime(Grain.QUARTER, -4, -3, whole=True),
    }
    | {
        f"same {span} {before}": YEAR_EARLIER
        for span in ("period", "time", "dates", "days", "stretch", "span", "window", "range", "weeks", "months")
        for before in (
            *(
                "last year",
                "last yr",
                "of last year",
                "in last year",
                "a year ago",
                "one year ago",
                "a year earlier",
                "prior year",
            ),
            *(f"{led}{word} year" for led in ("", "of the ", "in the ", "the ") for word in ("previous", "prior")),
        )
    }
    | {
        f"{word} {span}": RelativeTime(grain, -count, 0) if past else RelativeTime(grain, 0, count)
        for past, words in ((True, "last past previous"), (False, "next coming"))
        for word in words.split()
        for span, grain, count in (
            *(("fortnight", Grain.WEEK, 2), ("decade", Grain.YEAR, 10)),
            *((half, Grain.MONTH, 6) for half in ("half year", "half-year")),
        )
    }
)
EARLIER_UNITS = {
    f"the {text}": moment
    for moment in UNIT_EARLIER
    for text in (f"{moment.unit.value} before", f"{moment.unit.value} before that", f"{moment.unit.value} prior")
}
_GRAINS = {"week": Grain.WEEK, "month": Grain.MONTH, "quarter": Grain.QUARTER, "year": Grain.YEAR}
SHORT_GRAINS = {"wk": Grain.WEEK, "mth": Grain.MONTH, "qtr": Grain.QUARTER, "yr": Grain.YEAR}
"""Units as people shorten them: `this yr`, `past 3 mths`."""
WHOLES = (
    {
        f"{word} {kind}{name}": RelativeTime(grain, start, start + 1, whole=True)
        for name, grain in (_GRAINS | SHORT_GRAINS).items()
        for kind in ("", "calendar ", "full calendar ", "full ", "complete ")
        for word, start in (
            ("last", -1),
            ("previous", -1),
            ("this", 0),
            ("current", 0),
            ("the current", 0),
            ("next", 1),
        )
    }
    | {
        f"{opening} {name}": RelativeTime(grain, 0, None, whole=True)
        for name, grain in (_GRAINS | SHORT_GRAINS).items()
        for opening in (
            "so far this",
            *(f"since the {edge} of {this}" for edge in ("start", "beginning") for this in ("the", "this")),
        )
    }
    | {
        f"since {opening}": RelativeTime(Grain.YEAR, 0, None, whole=True)
        for opening in ("new year", "the new year", "new years", "new year's", "new year's day")
    }
)
