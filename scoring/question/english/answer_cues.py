"""English phrases of what the answer holds: outputs, aggregates, superlatives, groups and order."""

from __future__ import annotations

from scoring.question.english.tables import each, merged
from scoring.question.language import Cue, Role
from scoring.specification import Direction, RatioKind

_MOST, _LEAST = Direction.MOST, Direction.LEAST


def _aggregate(func: str, phrases: str, *, distinct: bool = False) -> dict[str, Cue]:
    return each(phrases, Cue(role=Role.AGGREGATE, func=func, distinct=distinct))


AGGREGATES = merged(
    [
        _aggregate(
            "COUNT",
            "how many, number of, the number of, count of, total number of, total count of, counts of, numbers of, "
            "count, count the number of, overall number of, the count of, the counts of, the total number of, how "
            "often, how many times, number of times, quantity of, no. of, nr of, nr. of, nbr of, num of, # of, "
            "headcount, headcount of, total amount of times",
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
        each("in total, altogether, all together, in all", Cue(role=Role.AGGREGATE, func="SUM", trailing=True)),
        _aggregate(
            "AVG",
            "average, mean, average of, mean of, on average, avg, averages, average number of, avg number of, mean "
            "number of, average count of, avg count of, avg no. of, avg nr of",
        ),
        _aggregate("STDDEV", "standard deviation of, standard deviation, std dev"),
        _aggregate("MEDIAN", "median, median of, p50"),
        _aggregate("VARIANCE", "variance of, variance"),
    ]
)


def _superlative(direction: Direction, phrases: str, *, value: bool = False, counted: bool = False) -> dict[str, Cue]:
    return each(phrases, Cue(role=Role.SUPERLATIVE, direction=direction, value=value, counted=counted))


def _adjective(direction: Direction, pairs: str) -> dict[str, Cue]:
    rows = (pair.split(":") for pair in pairs.split(", "))
    return {word: Cue(role=Role.SUPERLATIVE, direction=direction, phrase=phrase) for word, phrase in rows}


SUPERLATIVES = merged(
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
            "best selling, best-selling, top selling, top-selling, most sold, "
            "highest number of, biggest number of, maximum number of, the largest number of, the greatest number "
            "of, the highest number of, the maximum number of, the most amount of, most widely, most times",
            counted=True,
        ),
        _superlative(
            _LEAST,
            "least common, least frequent, least popular, least often, least number of, fewest number of, smallest "
            "number of, lowest number of, minimum number of, least commonly, least amount of, the least number of, "
            "the fewest number of, the smallest number of, the lowest number of, the minimum number of, rarest, "
            "least used, worst selling, worst-selling, least sold",
            counted=True,
        ),
        _adjective(
            _MOST,
            "oldest:age, longest-standing:age, longest-serving:age, longest-running:age, "
            "longest standing:age, longest serving:age, tallest:height, heaviest:weight, fastest:speed, "
            "most expensive:price, priciest:price, dearest:price, costliest:cost, richest:money, wealthiest:money, "
            "deepest:depth, widest:width, brightest:brightness, furthest:distance, farthest:distance",
        ),
        _adjective(
            _LEAST,
            "youngest:age, cheapest:price, least expensive:price, lightest:weight, slowest:speed, nearest:distance, "
            "closest:distance, poorest:money, narrowest:width",
        ),
    ]
)
GROUPS = each(
    "per, grouped by, group by, broken down by, broken out by, broken up by, break down by, breakdown by, split by, "
    "segmented by, categorized by",
    Cue(role=Role.GROUP),
) | each(
    "for each, for every, each, every, in each, in every, of each, of every, by each, by every, from each, at each, "
    "on each, across, across all, across each, respectively for each, within each, to each, with each, for all the "
    "different, for each of, each of, for each of the, each of the",
    Cue(role=Role.GROUP, distributive=True),
)


def _order(descending: bool | None, phrases: str) -> dict[str, Cue]:
    return each(phrases, Cue(role=Role.ORDER, descending=descending))


_FIRSTS = {
    f"{word} first": Cue(role=Role.ORDER, phrase=cue.phrase, descending=cue.direction is _MOST)
    for word, cue in SUPERLATIVES.items()
    if not cue.counted and word not in {"first", "last", "most", "least", "top", "bottom"}
} | {
    # a date or an age, a speed or a duration: the order depends on which
    f"{word} first": Cue(role=Role.ORDER)
    for word, cue in SUPERLATIVES.items()
    if cue.phrase in ("age", "speed")
}
ORDERS = merged(
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
            "to smallest, in descending lexicographical order, highest to lowest, largest to smallest, biggest to "
            "smallest, high to low, top to bottom, best to worst, most to least, newest to oldest, from best to worst, "
            "from top to bottom",
        ),
    ]
)


def _ratio(kind: RatioKind, phrases: str) -> dict[str, Cue]:
    return each(phrases, Cue(role=Role.RATIO, ratio=kind))


RATIOS = merged(
    [
        _ratio(
            RatioKind.PERCENTAGE,
            "percentage, percent, percentages, what %, pct, % change, % growth, % increase, % decrease, % difference, "
            "the %, % of",
        ),
        _ratio(
            RatioKind.RATIO,
            "ratio, ratios, proportion, proportions, fraction, share of, what share, portion of, what portion, market "
            "share, how many times more, times more, times as many, how many times larger, how many times as many, "
            "times higher",
        ),
        _ratio(
            RatioKind.RATE,
            "rate, rate of, growth rate, conversion rate, churn rate, success rate, failure rate, per capita",
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


ASKS = _ask(
    "what:, which:, who:person, whom:person, when:date, where:place, how old:age, how long:length, how tall:height, "
    "how far:distance, how big:size, how large:size, how heavy:weight, how fast:speed, how high:height, how:, "
    "what's:, who's:person, how is:, how are:, what kind of:type, what kinds of:type, what type of:type, what types "
    "of:type, which type of:type, what sort of:type, how expensive:price, why:"
) | {"how much": Cue(role=Role.ASK, phrase="amount", func="SUM")}
COMMANDS = each(
    "list, list out, list down, list all, show, show me, display, give, give me, give us, find, find out, state, "
    "name, provide, provide me, tell, tell me, identify, return, get, retrieve, fetch, enumerate, indicate, write, "
    "write down, mention, print, output, select, describe, calculate, compute, determine, report, specify, let me "
    "know, i want, i need, i would like, present, elaborate, point out, lists, look up, please list, kindly list, "
    "kindly give, extract",
    Cue(role=Role.COMMAND),
)
ALSOS = each(
    "along with, as well as, together with, and also, alongside, in addition to, accompanied by, and their, and "
    "its, and his, and her, with their, with its, with his, with her, and the corresponding, with the "
    "corresponding, and corresponding, and how many, including their, including its, including the",
    Cue(role=Role.ALSO),
)
