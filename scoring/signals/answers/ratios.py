"""Signals about ratios and percentages."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.specification import Division, RatioKind
from scoring.verdict import Case
from scoring.words import identifier_words

_STORED = frozenset({"percentage", "percent", "pct", "ratio", "rate", "share", "proportion", "per"})
"""Words of columns that store a ratio."""
_DIVIDING = frozenset({RatioKind.PERCENTAGE, RatioKind.RATIO, RatioKind.RATE})


_REAL_DIVISION = frozenset("bigquery mysql duckdb snowflake oracle spark spark2 databricks hive clickhouse".split())
"""Dialects in which `/` keeps the fraction of two whole numbers."""


def _divides(case: Case) -> bool:
    """Whether something is divided by a value of the rows: a division by 100 or 60 only turns units."""
    return not _SHARES.isdisjoint(case.sql.functions) or bool(_ratios(case))


_SHARES = frozenset({"DIVIDE", "RATIO_TO_REPORT", "PERCENT_RANK", "CUME_DIST"})


def _ratios(case: Case) -> list[Division]:
    return [each for each in case.sql.divisions if _CONSTANT.fullmatch(each.denominator) is None]


_CONSTANT = lazy(r"[\d.]+")


def _defines_division(case: Case) -> bool:
    return any({"DIVIDE", "AVG"} & set(each.functions) for each in case.enriched.definitions)


def percentage_unscaled(case: Case) -> Finding | None:
    """A percentage is asked for and nothing is multiplied by 100.

    The answer is a share between 0 and 1, which many readers take as well; hence half strength.

    >>> percentage_unscaled(case("What percentage of parcels is late?",
    ...     "SELECT CAST(SUM(late) AS REAL) / COUNT(*) FROM parcels")).strength
    0.5
    """
    asked = next((each for each in case.question.ratios if each.kind is RatioKind.PERCENTAGE), None)
    if asked is not None and case.question.text[asked.start : asked.start + 1] == "%":
        return None  # a share in words of chat
    if asked is None or not _ratios(case) or any(each.hundred for each in case.sql.divisions):
        return None
    if _MEAN_SCALED.search(case.written) is not None:
        return None
    return Finding(0.5, f"percentage of '{asked.phrase}' without × 100")


_MEAN_SCALED = lazy(
    r"\b100(?:\.0+)?\s*\*\s*avg\s*\(|\bavg\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*\*\s*100\b", re.IGNORECASE
)
"""An average of quotients that is multiplied by 100."""


def integer_division(case: Case) -> Finding | None:
    """A ratio divides whole numbers, which drops the fraction in many dialects.

    A share below 1 becomes 0. A cast or a decimal factor makes the division real, and dialects that always keep the
    fraction do not count.

    >>> integer_division(case("What is the ratio of late to all parcels?",
    ...     "SELECT SUM(late) / COUNT(*) FROM parcels")).strength
    1.0
    """
    averaged = _mean_of_whole(case) if case.sql.dialect == "tsql" else None
    if averaged is not None:
        return Finding(1.0, f"{averaged} of whole numbers")
    whole = next((each for each in case.sql.divisions if not (each.real or _keeps_whole(each))), None)
    if whole is None or case.sql.dialect in _REAL_DIVISION:
        return None
    return Finding(1.0, f"{whole.numerator} / {whole.denominator}") if _wants_its_fraction(whole, case) else None


def _mean_of_whole(case: Case) -> str | None:
    """A mean of ones and zeros or of counts, which T-SQL gives as a whole number."""
    averaged = _WHOLE_MEAN.search(case.written)
    if averaged is not None:
        return averaged[0].lower()
    counts = (each for each in case.sql.aggregations if each.func == "AVG" and _COUNT.fullmatch(each.column))
    odd = next(counts, None)
    made_real = _MADE_REAL.search(case.written) is not None or _ROUNDED.search(case.asked) is not None
    return f"avg({odd.column})" if odd is not None and not made_real else None


_COUNT = lazy(r"count\([^()]*\)")
_MADE_REAL = lazy(r"\bcast\s*\(|\bconvert\s*\(|\d\.0*\s*\*|\*\s*\d\.", re.IGNORECASE)
_ROUNDED = lazy(r"\b(?:whole|round\w*|nearest)\b")


def _wants_its_fraction(whole: Division, case: Case) -> bool:
    """Whether a division is the ratio that is asked for."""
    asked = case.question.ratios or _defines_division(case) or (case.enriched.ratios and _divides_pieces(whole))
    return bool(asked) or (_divides_counts(whole) and _wants_fraction(case))


_IN_PERCENT = lazy(r"\b100\b")
"""What is divided is a hundredfold: whole percents come, which are rounded and not lost."""
_WHOLE_MEAN = lazy(
    r"\bavg\s*\(\s*case\b(?=[^()]{0,300}\bthen\s+1\b(?!\.))[^()]{0,300}?\b(?:else|then)\s+0\s+(?:end|when)\b(?![^()]*\.)",
    re.IGNORECASE,
)
"""A mean of ones and zeros, which T-SQL gives as a whole number: `AVG(CASE … THEN 1 ELSE 0 END)`."""


def _keeps_whole(each: Division) -> bool:
    """Whether little is lost: whole percents come, or amounts are divided, which have decimals."""
    return _IN_PERCENT.search(each.numerator) is not None or _divides_amounts(each)


def _divides_amounts(each: Division) -> bool:
    """Whether sums of a column are divided by sums: amounts have decimals, counts and sums of flags have none."""
    parts = (each.numerator, each.denominator)
    if _divides_pieces(each):
        return False
    if _MONEY.search(each.numerator) is not None and "cent" not in each.numerator and "count(" not in each.denominator:
        return True
    return all("sum(" in part and "count(" not in part and not _counts_cases(part) for part in parts)


def _counts_cases(part: str) -> bool:
    """Whether ones are added in some cases, and not values of a column: `CASE WHEN late THEN 1 ELSE 0 END`."""
    return "case " in part and _COLUMN_OF_CASES.search(part) is None


_COLUMN_OF_CASES = lazy(r"\bthen [a-z_][\w.]*(?: \* [\w.]+)?(?: else (?:0|0\.0|null))? end\b")


def _divides_pieces(each: Division) -> bool:
    return all(map(_PIECES.search, (each.numerator, each.denominator)))


_PIECES = lazy(r"sum\([^()]*(?:qty|quantit|pieces|pcs|_count|_cnt|seats|nights|clicks|impressions|passengers|heads)")
"""What comes in whole numbers."""
_MONEY = lazy(r"sum\(.*(?:amount|amt|revenue|usd|eur|gbp|price|cost|fee|net|gross)")


def _divides_counts(division: Division) -> bool:
    """Whether one number of rows is divided by another."""
    return division.numerator.startswith("count(") and division.denominator.startswith(("count(", "nullif(count("))


_FRACTIONS = lazy(r"%|\b(?:percent\w*|pct|rate|share|average|avg|mean|per|decimals?|ratio)\b")


def _wants_fraction(case: Case) -> bool:
    """Whether a word of the question asks for what is no whole number."""
    return _FRACTIONS.search(case.asked) is not None


def ratio_missing(case: Case) -> Finding | None:
    """A ratio or percentage is asked for and the SQL divides nothing.

    AVG and a column that stores a ratio count as divisions. Half strength where no percentage is asked for.

    >>> ratio_missing(case("What percentage of parcels is late?", "SELECT SUM(late) FROM parcels")).detail
    "percentage of 'parcels' without a division"
    """
    asked = next((each for each in case.question.ratios if each.kind in _DIVIDING), None)
    if asked is None or _divides(case) or any(each.func == "AVG" for each in case.sql.aggregations):
        return None
    if any(not _STORED.isdisjoint(identifier_words(column.name)) for column in case.sql.columns):
        return None
    before = case.question.text[: asked.start].casefold().split()[-1:]
    if asked.kind is RatioKind.RATE and any([column.name] == before for column in case.sql.columns):
        return None
    strength = 1.0 if asked.kind is RatioKind.PERCENTAGE else 0.5
    return Finding(strength, f"{asked.kind.value} of '{asked.phrase}' without a division")


_QUOTIENTS = lazy(
    r"\b(?:margins?|growth|yield|utili[sz]ation|occupancy|retention|churn|turnover|conversions?|efficiency|density"
    r"|productivity|(?:over|on)[ -](?:month|year|week|quarter)|mom|yoy|wow|qoq|arpu|aov)\b"
)
"""Words for what is divided, though they do not say so."""


def ratio_unasked(case: Case) -> Finding | None:
    """The SQL divides though no ratio, rate or average is asked for.

    The answer is a share where a number is asked for. A definition that divides counts as asking.

    >>> ratio_unasked(case("How many parcels are late?", "SELECT SUM(late) / COUNT(*) FROM parcels")).strength
    1.0
    """
    question = case.question
    if not case.sql.divisions or question.ratios or case.enriched.ratios or _defines_division(case):
        return None
    if any(each.func == "AVG" for each in question.aggregations) or _QUOTIENTS.search(case.asked) is not None:
        return None
    first = next(iter(_ratios(case)), None)
    return Finding(1.0, f"{first.numerator} / {first.denominator}") if first is not None else None
