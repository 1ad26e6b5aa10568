"""What English phrases do in a question."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.question.language import Cue, CueIndex, Role, index
from scoring.specification import Direction, Op, RatioKind
from scoring.values import Grain, RelativeTime

_MOST, _LEAST = Direction.MOST, Direction.LEAST


def _each(phrases: str, cue: Cue) -> dict[str, Cue]:
    return {phrase.strip(): cue for phrase in phrases.split(",")}


def _compare(op: Op, phrases: str) -> dict[str, Cue]:
    return _each(phrases, Cue(role=Role.COMPARE, op=op))


def _merge(tables: Iterable[dict[str, Cue]]) -> dict[str, Cue]:
    return {phrase: cue for table in tables for phrase, cue in table.items()}


_COMPARISONS = _merge(
    [
        _compare(
            Op.GE,
            "at least, no less than, not less than, no fewer than, not fewer than, a minimum of, minimum of, ≥, >=, "
            "greater than or equal to, more than or equal to, equal to or greater than, equal to or more than, "
            "larger than or equal to, higher than or equal to, not below, not under, since, starting from, starting "
            "in, beginning in, in or after, on or after, at or above, at or after, no earlier than, upwards of, not "
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
_ADJECTIVES = (
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
_SUFFIXES = {
    f"{joiner} {word}": Cue(role=Role.SUFFIX, op=op)
    for joiner in ("or", "and")
    for op, words in (
        (Op.GE, "more, above, over, greater, higher, later, larger, bigger, up, after, onwards, beyond, upwards"),
        (Op.LE, "less, below, under, fewer, lower, earlier, smaller, before, down"),
    )
    for word in words.split(", ")
} | _each("onwards, onward, and up", Cue(role=Role.SUFFIX, op=Op.GE))

_NEGATIONS = _merge(
    [
        _each(
            "not, isn't, aren't, wasn't, weren't, cannot, can't, is not, are not, was not, were not, nor, neither",
            Cue(role=Role.NOT),
        ),
        _each(
            "other than, except, except for, excluding, excludes, exclude, besides, apart from, aside from, but "
            "not, different from, with the exception of, excepting, outside, outside of, leaving out, omitting",
            Cue(role=Role.EXCEPT),
        ),
        _each(
            "without, without any, with no, with zero, has no, have no, had no, having no, lack, lacks, lacking, "
            "lacked, that lack, do not have, does not have, did not have, don't have, doesn't have, didn't have, do "
            "not have any, does not have any, did not have any, don't have any, doesn't have any, have not any, "
            "hasn't any, there is no, there are no, free of, missing, do not own, does not own, did not own, don't "
            "own, doesn't own, didn't own, do not own any, does not own any",
            Cue(role=Role.LACK),
        ),
        _each(
            "never, do not, does not, did not, don't, doesn't, didn't, has not, have not, had not, hasn't, haven't, "
            "hadn't, has never, have never, had never, was never, were never, are never, is never",
            Cue(role=Role.NEVER),
        ),
    ]
)
_MATCHES = _merge(
    [
        _each(
            "contain, contains, containing, contained, that contain, includes the word, include the word, including "
            "the word, includes the letter, including the substring, includes the substring, includes the string, "
            "with the word, with the letter, with the letters, with the substring, having the letter, has the "
            "letter, have the letter, has the word, have the word, have the substring, has the substring, with the "
            "string, has the string, have the string, mention, mentions, mentioning, has the character, with the "
            "character, like",
            Cue(role=Role.MATCH, op=Op.CONTAINS),
        ),
        _each(
            "start with, starts with, starting with, started with, begin with, begins with, beginning with, start "
            "from, prefixed with, prefixed by, with the prefix, start in the letter",
            Cue(role=Role.MATCH, op=Op.STARTS_WITH),
        ),
        _each(
            "end with, ends with, ending with, ended with, ending in, ends in, end in, suffixed with, with the suffix",
            Cue(role=Role.MATCH, op=Op.ENDS_WITH),
        ),
    ]
)
_NAMES = _each("named, called, nicknamed, known as", Cue(role=Role.NAMED, phrase="name")) | {
    "titled": Cue(role=Role.NAMED, phrase="title"),
    "entitled": Cue(role=Role.NAMED, phrase="title"),
}


def _aggregate(func: str, phrases: str, *, distinct: bool = False) -> dict[str, Cue]:
    return _each(phrases, Cue(role=Role.AGGREGATE, func=func, distinct=distinct))


_AGGREGATES = _merge(
    [
        _aggregate(
            "COUNT",
            "how many, number of, the number of, count of, total number of, total count of, counts of, numbers of, "
            "count, count the number of, overall number of, the count of, the counts of, the total number of, how "
            "often, how many times, number of times, quantity of, no. of, total amount of times",
        ),
        _aggregate(
            "COUNT",
            "how many different, number of different, number of distinct, how many distinct, how many unique, "
            "number of unique, count of distinct, count the number of different, count the number of distinct, "
            "total number of different, total number of distinct, total number of unique, count the number of "
            "unique, how many types of, how many kinds of, number of types of, count distinct, count different",
            distinct=True,
        ),
        _aggregate(
            "SUM",
            "total, sum, sum of, the sum of, total of, total amount of, the total amount of, overall amount of, "
            "grand total of, sum up, total sum of, total amount",
        ),
        _each("in total, altogether, all together, in all", Cue(role=Role.AGGREGATE, func="SUM", trailing=True)),
        _aggregate("AVG", "average, mean, average of, mean of, on average, avg, averages, average number of"),
        _aggregate("STDDEV", "standard deviation of, standard deviation, std dev"),
        _aggregate("MEDIAN", "median, median of"),
        _aggregate("VARIANCE", "variance of, variance"),
    ]
)


def _superlative(direction: Direction, phrases: str, *, value: bool = False, counted: bool = False) -> dict[str, Cue]:
    return _each(phrases, Cue(role=Role.SUPERLATIVE, direction=direction, value=value, counted=counted))


def _adjective(direction: Direction, pairs: str) -> dict[str, Cue]:
    rows = (pair.split(":") for pair in pairs.split(", "))
    return {word: Cue(role=Role.SUPERLATIVE, direction=direction, phrase=phrase) for word, phrase in rows}


_SUPERLATIVES = _merge(
    [
        _superlative(_MOST, "highest, maximum, max, maximal", value=True),
        _superlative(_LEAST, "lowest, minimum, min, minimal", value=True),
        _superlative(_MOST, "largest, biggest, greatest, longest, latest, most recent, newest, last", value=False),
        _superlative(_LEAST, "smallest, shortest, earliest, least recent, first, worst, bottom", value=False),
        _superlative(_MOST, "best, top, most, strongest, finest, hottest, warmest, busiest, top-ranked, top-rated"),
        _superlative(_LEAST, "least, fewest, weakest, coldest, coolest, the least, the fewest"),
        _superlative(
            _MOST,
            "most common, most commonly, most frequent, most frequently, most popular, most often, most number of, "
            "the most number of, most prevalent, the most common, most used, largest number of, greatest number of, "
            "highest number of, biggest number of, maximum number of, the largest number of, the greatest number "
            "of, the highest number of, the maximum number of, the most amount of, most widely, most times",
            counted=True,
        ),
        _superlative(
            _LEAST,
            "least common, least frequent, least popular, least often, least number of, fewest number of, smallest "
            "number of, lowest number of, minimum number of, least commonly, least amount of, the least number of, "
            "the fewest number of, the smallest number of, the lowest number of, the minimum number of, rarest, "
            "least used",
            counted=True,
        ),
        _adjective(
            _MOST,
            "oldest:age, tallest:height, heaviest:weight, fastest:speed, most expensive:price, priciest:price, "
            "costliest:cost, richest:money, wealthiest:money, deepest:depth, widest:width, brightest:brightness, "
            "furthest:distance, farthest:distance",
        ),
        _adjective(
            _LEAST,
            "youngest:age, cheapest:price, least expensive:price, lightest:weight, slowest:speed, nearest:distance, "
            "closest:distance, poorest:money, narrowest:width",
        ),
    ]
)
_GROUPS = _each(
    "per, grouped by, group by, broken down by, break down by, breakdown by, split by, segmented by, categorized by",
    Cue(role=Role.GROUP),
) | _each(
    "for each, for every, each, every, in each, in every, of each, of every, by each, by every, from each, at each, "
    "on each, across, across all, across each, respectively for each, within each, to each, with each, for all the "
    "different, for each of, each of, for each of the, each of the",
    Cue(role=Role.GROUP, distributive=True),
)


def _order(descending: bool | None, phrases: str) -> dict[str, Cue]:
    return _each(phrases, Cue(role=Role.ORDER, descending=descending))


_FIRSTS = {
    f"{word} first": Cue(role=Role.ORDER, phrase=cue.phrase, descending=cue.direction is _MOST)
    for word, cue in _SUPERLATIVES.items()
    if not cue.counted and word not in {"first", "last", "most", "least", "top", "bottom"}
} | {
    # a date or an age: the order depends on which
    f"{word} first": Cue(role=Role.ORDER)
    for word in ("oldest", "youngest")
}
_ORDERS = _merge(
    [
        _FIRSTS,
        _order(
            None,
            "sorted by, sort by, ordered by, order by, ranked by, rank by, sort them by, order them by, arranged "
            "by, sorted according to, ordered according to, listed by, in order of, in the order of, in order by, "
            "sort the results by, order the results by, sort the result by, rank them by, sorted in the order of, "
            "in the order, sorted, prioritize, sort, order, rank",
        ),
        _order(
            False,
            "in ascending order of, in ascending order, ascending order of, ascending order, ascending, in "
            "increasing order of, in increasing order, increasing order, in alphabetical order of, in alphabetical "
            "order, alphabetically, alphabetical order, in lexicographical order, in lexicographic order, "
            "lexicographically, in chronological order, chronologically, from youngest to oldest, from oldest to "
            "newest, from lowest to highest, from smallest to largest, from low to high, from least to most, from "
            "the lowest to the highest, from the youngest to the oldest, in ascending alphabetical order, in order "
            "of increasing, from cheapest to most expensive, from shortest to longest, asc, in ascending "
            "lexicographical order",
        ),
        _order(
            True,
            "in descending order of, in descending order, descending order of, descending order, descending, in "
            "decreasing order of, in decreasing order, decreasing order, in reverse alphabetical order, reverse "
            "alphabetical order, reverse chronological order, in reverse chronological order, from oldest to "
            "youngest, from newest to oldest, from highest to lowest, from largest to smallest, from high to low, "
            "from most to least, from the highest to the lowest, from the oldest to the youngest, from most "
            "expensive to cheapest, from longest to shortest, desc, in descending alphabetical order, from biggest "
            "to smallest, in descending lexicographical order",
        ),
    ]
)


def _ratio(kind: RatioKind, phrases: str) -> dict[str, Cue]:
    return _each(phrases, Cue(role=Role.RATIO, ratio=kind))


_RATIOS = _merge(
    [
        _ratio(RatioKind.PERCENTAGE, "percentage, percent, percentages, what %, pct"),
        _ratio(
            RatioKind.RATIO,
            "ratio, ratios, proportion, proportions, fraction, share of, market share, how many times more, how "
            "many times, times more, times as many, how many times larger, how many times as many, times higher",
        ),
        _ratio(
            RatioKind.RATE, "rate of, growth rate, conversion rate, churn rate, success rate, failure rate, per capita"
        ),
        _ratio(
            RatioKind.DIFFERENCE,
            "difference, difference between, difference in, differences between, how many more, how much more, how "
            "many fewer, how much less, how much higher, how much lower, how much faster, how much older, how much "
            "taller, how much larger, deviation from, by how much, by how many, gap between, compared to, compared "
            "with",
        ),
    ]
)


def _ask(pairs: str) -> dict[str, Cue]:
    rows = (pair.strip().split(":") for pair in pairs.split(","))
    return {words: Cue(role=Role.ASK, phrase=phrase) for words, phrase in rows}


_ASKS = _ask(
    "what:, which:, who:person, whom:person, when:date, where:place, how old:age, how long:length, how tall:height, "
    "how far:distance, how big:size, how large:size, how heavy:weight, how fast:speed, how high:height, how:, "
    "what's:, who's:person, how is:, how are:, what kind of:type, what kinds of:type, what type of:type, what types "
    "of:type, which type of:type, what sort of:type, how expensive:price, why:"
) | {"how much": Cue(role=Role.ASK, phrase="amount", func="SUM")}
_COMMANDS = _each(
    "list, list out, list down, list all, show, show me, display, give, give me, give us, find, find out, state, "
    "name, provide, provide me, tell, tell me, identify, return, get, retrieve, fetch, enumerate, indicate, write, "
    "write down, mention, print, output, select, describe, calculate, compute, determine, report, specify, let me "
    "know, i want, i need, i would like, present, elaborate, point out, lists, look up, please list, kindly list, "
    "kindly give, extract",
    Cue(role=Role.COMMAND),
)
_ALSOS = _each(
    "along with, as well as, together with, and also, alongside, in addition to, accompanied by, and their, and "
    "its, and his, and her, with their, with its, with his, with her, and the corresponding, with the "
    "corresponding, and corresponding, and how many, including their, including its, including the",
    Cue(role=Role.ALSO),
)
_TIMES = {
    "yesterday": RelativeTime(Grain.DAY, -1, 0, whole=True),
    "today": RelativeTime(Grain.DAY, 0, 1, whole=True),
    "tomorrow": RelativeTime(Grain.DAY, 1, 2, whole=True),
    "year to date": RelativeTime(Grain.YEAR, 0, None, whole=True),
    "month to date": RelativeTime(Grain.MONTH, 0, None, whole=True),
    "quarter to date": RelativeTime(Grain.QUARTER, 0, None, whole=True),
    "ytd": RelativeTime(Grain.YEAR, 0, None, whole=True),
    "mtd": RelativeTime(Grain.MONTH, 0, None, whole=True),
}
_GRAINS = {"week": Grain.WEEK, "month": Grain.MONTH, "quarter": Grain.QUARTER, "year": Grain.YEAR}
_WHOLES = {
    f"{word} {name}": RelativeTime(grain, start, start + 1, whole=True)
    for name, grain in _GRAINS.items()
    for word, start in (("last", -1), ("previous", -1), ("this", 0), ("current", 0), ("the current", 0), ("next", 1))
}
_PLAIN = _each(
    "first name, first names, last name, last names, first and last name, first and last names, last and first "
    "name, first time, at first, at last, first class, last known, top level, most of, best of, of each other, each "
    "other, one another, middle name, middle names, last modified, last updated, the list of, at once, in order to, "
    "first letter, last letter, first date, like to, would like, each once, once each, looks like, look like, more "
    "than one of, not only, named after, what about",
    Cue(role=Role.PLAIN),
)

_NAME_PARTS = {
    phrase: Cue(role=Role.PLAIN)
    for name in ("name", "names")
    for phrase in (
        f"first , middle and last {name}",
        f"first , middle , and last {name}",
        f"first {name} , last {name}",
    )
}
CUES: CueIndex = index(
    _COMPARISONS,
    _ADJECTIVES,
    _SUFFIXES,
    _NEGATIONS,
    _MATCHES,
    _NAMES,
    _AGGREGATES,
    _SUPERLATIVES,
    _GROUPS,
    _ORDERS,
    _RATIOS,
    _ASKS,
    _COMMANDS,
    _ALSOS,
    {phrase: Cue(role=Role.TIME, time=time) for phrase, time in (_TIMES | _WHOLES).items()},
    _each("different, distinct, unique, non-repeated, without duplicates, without repetition", Cue(role=Role.DISTINCT)),
    _each("whether, is it true that, is there any, is there a, are there any", Cue(role=Role.WHETHER)),
    _PLAIN,
    _NAME_PARTS,
)
