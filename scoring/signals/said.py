"""Signals that compare the question and the SQL word for word: values, letter case, length."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import islice

from scoring.alignment.lengths import BOUNDS
from scoring.alignment.matching import CERTAIN
from scoring.alignment.same_values import TIMES
from scoring.alignment.turns.renumbered import is_renumbered
from scoring.forgery.working_text import may_be_idle, working_text
from scoring.patterns import lazy
from scoring.question.remarks import is_beside
from scoring.signals.definitions import is_held
from scoring.signals.finding import Finding
from scoring.signals.times import unused_time
from scoring.specification import FilterOrigin, QuestionFilter, Token, TokenKind
from scoring.values import LENGTHS, DatePart, Grain, Number, RelativeTime, Text, TimeRange, other_units
from scoring.verdict import Case, FilterMatch
from scoring.words import in_order

# Starting with the set of both quotes makes the search three times as fast.
_TEXTS = lazy(r"\"[^\"\n]{0,80}\"|'((?:[^'\n]|''){0,80})'")
"""Every text of a query, an empty one too, so that what stands between two of them is none; names in double quotes."""
MOST = 50
"""Most literals or numbers of one text that are looked for in another."""
_MARKS = lazy(r"[\W_]+")


def value_padded(case: Case) -> Finding | None:
    """A text of the SQL begins or ends with a blank.

    Stored values hardly ever do, so the comparison finds nothing.

    >>> value_padded(case("Which parcels go to Faro?", "SELECT id FROM parcels WHERE city = 'Faro '")).detail
    "'Faro '"
    """
    for match in islice(_TEXTS.finditer(case.written), MOST):
        literal = match[1]
        if not literal or literal == literal.strip() or not literal.strip(" -,.:;/"):
            continue
        if _COMPARED.search(case.written, max(match.start() - _BEFORE, 0), match.start()):
            return Finding(1.0, f"'{literal}'")
    return None


_BEFORE = 200
_COMPARED = lazy(r"(?:[=<>]|\blike|\bin\s{0,9}\([^()]{0,150})\s{0,9}\Z", re.IGNORECASE)
"""What stands before a text that is compared, and not shown: `city || ' - '`."""


def value_unused(case: Case) -> Finding | None:
    """A number or time of the question is not in the SQL.

    A number is there to be compared with or counted; a time counts where the SQL has none at all. A neighbour counts
    as used, because `more than 2` may be written `>= 3`. Each parameter of unknown value may hold one. A number
    that the question only mentions is a doubt: `… last month? my boss says 500`.

    >>> value_unused(case("Parcels over 20 kg", "SELECT id FROM parcels WHERE heavy = 1")).detail
    'not in the SQL: 20'
    """
    another = _another_number(case) or unused_time(case)
    return Finding(1.0, f"not in the SQL: {another}") if another is not None else _numbers_unused(case)


def _numbers_unused(case: Case) -> Finding | None:
    said = _numbers_said(case) if _DIGIT.search(case.question.text) is not None else []
    sql = case.written
    if any(each in sql and may_be_idle(each, sql) for each in said[:MOST]):
        sql = working_text(case)
    lost = [each for each in said[:MOST] if each not in sql and not (len(each) < 4 and _beside(int(each), sql))]
    lost = lost[len(case.sql.parameters) :]
    if not lost:
        return None
    strength = _A_DOUBT if _are_doubtful(lost, case) else 1.0
    return Finding(strength * len(lost) / len(said), f"not in the SQL: {'; '.join(lost[:5])}")


def _are_doubtful(numbers: list[str], case: Case) -> bool:
    small = all(len(each) == 1 and int(each) <= _FEW for each in numbers)
    return small or all(is_beside(case.question.text, case.question.text.find(each)) for each in numbers)


def _another_number(case: Case) -> str | None:
    """The bound of the question that is nowhere in the SQL, which compares with another number."""
    bounds = [each for each in case.filters.mismatched if each.required.op in BOUNDS and _are_numbers(each)]
    given = {float(each) for each in _WHOLE_NUMBER.findall(case.written)} if bounds else set[float]()
    for each in bounds:
        wanted = each.required.rhs
        if isinstance(wanted, Number) and wanted.unit != "%" and not is_held(wanted.value, given):
            return str(wanted)
    return None


def _are_numbers(match: FilterMatch) -> bool:
    return match.required.source is FilterOrigin.QUESTION and all(
        isinstance(each.rhs, Number) for each in match.present
    )


_WHOLE_NUMBER = lazy(r"(?<![\w'.-])\d{1,12}(?:\.\d{1,6})?(?![\w'-])")
"""A number that is no part of a name or of a date."""


_A_DOUBT = 0.19
_FEW = 5
"""A number up to this is often said otherwise: `between 2 visits` by LAG, `with 0 orders` by a LEFT JOIN."""
_DIGIT = lazy(r"\d")


def _numbers_said(case: Case) -> list[str]:
    numbers = [token for token in case.question.tokens if token.text.isdecimal() and token.kind is TokenKind.NUMBER]
    return [
        token.text
        for token in numbers
        if token.text != "0"
        and not (_is_met(token, case) or _in_other_unit(token, case) or _is_span(token, case))
        and not (_is_known(token, case.question.text) or _is_replaced(token, case))
    ]


def _is_replaced(token: Token, case: Case) -> bool:
    """Whether a follow-up puts another number in the place of one that bounds something in the SQL before."""
    asked, number = case.follow_up, Number(float(token.text))
    before = asked.before if asked is not None else None
    if asked is None or before is None:
        return False
    return any(each.rhs == number and is_renumbered(each, asked, case.sql) for each in before.filters)


_KNOWN = lazy(r"(?:\b(?:between|my|our|these|those|all|the other)\s|[a-z]/)\Z", re.IGNORECASE)
"""What stands before a number of things that are known, or of units: `my 5 containers`, `all 8 groups`, `l/100km`."""
_LONGEST_KNOWN = 12


def _is_known(token: Token, text: str) -> bool:
    start = max(token.start - _LONGEST_KNOWN, 0)
    return _KNOWN.search(text, start, token.start) is not None and _GOES_ON.match(text, token.end) is None


_GOES_ON = lazy(r"\s?(?:and|to|[-–&]|(?:hours?|days?|weeks?|months?|quarters?|years?)\b)", re.IGNORECASE)


def _is_span(token: Token, case: Case) -> bool:
    """Whether dates of the SQL are so many units of time apart: 20 October to 16 November for `28 days`."""
    unit = _UNIT.match(case.question.text, token.end)
    length = LENGTHS.get(Grain(unit[1].lower())) if unit is not None else None
    if length is None or len(token.text) > 4:
        return False
    wanted = length * int(token.text)
    if wanted < _SHORTEST_SPAN:
        return False
    spans = (each.rhs for each in case.sql.filters if isinstance(each.rhs, TimeRange))
    return any(each.start and each.end and abs(each.end - each.start - wanted) <= _A_DAY for each in spans)


_A_DAY = timedelta(days=1)
_SHORTEST_SPAN = timedelta(days=7)


_PERCENT = lazy(r"\s?(?:%|percent\b|per cent\b|pct\b)", re.IGNORECASE)


def _is_met(token: Token, case: Case) -> bool:
    """Whether it belongs to a date, a length of time, an age or a percentage that the SQL has, in whatever form."""
    required = [match.required for match in case.filters.matched]
    ages = [match.required for match in case.filters.matched if _is_dated_age(match)]
    if _PERCENT.match(case.question.text, token.end) is not None:
        share = f"{float(token.text) / 100:g}"
        if re.search(rf"(?<![\d.])0?{re.escape(share.lstrip('0'))}(?!\d)", case.written) is not None:
            return True
    return any(
        (_has_units(each) or each in ages or isinstance(each.rhs, (DatePart, TimeRange)))
        and each.source is FilterOrigin.QUESTION
        and 0 <= token.start - each.start < len(each.span)
        for each in required
    )


_UNIT = lazy(r"\s?(second|minute|hour|day|week|month|quarter|year)s?\b", re.IGNORECASE)


def _in_other_unit(token: Token, case: Case) -> bool:
    """Whether the SQL has a number of units of time in another unit: 42 days for 6 weeks."""
    unit = _UNIT.match(case.question.text, token.end)
    if unit is None or len(token.text) > 4:
        return False
    forms = [str(each) for each in other_units(float(token.text), Grain(unit[1].lower()))]
    return any(len(form) > 1 and form.isdecimal() and re.search(rf"\b{form}\b", case.written) for form in forms)


def _is_dated_age(match: FilterMatch) -> bool:
    """Whether a date takes the place of a number of years: born in 1961 or before for `65+`."""
    return isinstance(match.required.rhs, Number) and any(isinstance(each.rhs, TIMES) for each in match.present)


def _has_units(each: QuestionFilter) -> bool:
    """Whether the value may be written in another unit: 24 hours as one day, 20 % as 0.2."""
    if isinstance(each.rhs, Number):
        return bool(each.alternatives) or each.rhs.unit == "%"
    return isinstance(each.rhs, RelativeTime)


def _beside(number: int, sql: str) -> bool:
    """`more than 2` may be `>= 3`."""
    return str(number + 1) in sql or str(number - 1) in sql


def name_unused(case: Case) -> Finding | None:
    """A name or text of the question is in neither the SQL nor a definition.

    The name is a value that rows should be filtered by. Only names are looked at that were read for certain and that
    no condition of the SQL meets. A name with a digit (`2fa`, `p1s`) is a doubt: columns spell it out. So is a name
    beside what is asked: `… per store? Dave wants to know`.

    >>> name_unused(case("How many parcels went to 'Faro'?", "SELECT COUNT(*) FROM parcels")).detail
    "not in the SQL: 'faro'"
    """
    missing = [each for each in case.filters.missing[:MOST] if _is_name(each)]
    if not missing:
        return None
    defined = " ".join(f"{each.phrase} {each.text}" for each in case.enriched.definitions)
    given = _MARKS.sub("", f"{working_text(case)} {defined.casefold()}")
    missing = [each for each in missing if not _is_measure(each, given)]
    given += _stored_for(case)
    lost = [each for each in missing if not _is_given(_long_words(str(each.rhs)), given, case)]
    if not lost:
        return None
    return Finding(_name_strength(lost, case), f"not in the SQL: {'; '.join(str(each.rhs) for each in lost[:5])}")


def _name_strength(lost: list[QuestionFilter], case: Case) -> float:
    """How sure the finding is: names that hold a digit, or that the question only mentions, are doubts."""
    return (
        _A_DOUBT
        if all(_DIGIT.search(str(each.rhs)) or is_beside(case.question.text, each.start) for each in lost)
        else 1.0
    )


_CODE = lazy(r"'([A-Z]{2,5})'")
"""A text of a few capitals."""
_LOCODE = 5
"""Letters of a place's code: two of its country, three of its name, `NLRTM` for Rotterdam."""


def _is_given(words: list[str], given: str, case: Case) -> bool:
    """Whether a text has a word, or the SQL a code for each of them: `SCR`, `STR` for `Scrabster-Stromness`."""
    if any(word in given for word in words):
        return True
    codes = [each.casefold() for each in _CODE.findall(case.written)]
    places = [each[2:] for each in codes if len(each) == _LOCODE]
    codes = places if len(words) == 1 else places + [each for each in codes if len(each) < _LOCODE]
    return bool(words) and all(any(each[0] == word[0] and in_order(each, word) for each in codes) for word in words)


def _stored_for(case: Case) -> str:
    """What the codes that the SQL compares mean in this house: `plant = '30'` for Zwickau."""
    if not case.rules.codes:
        return ""
    values = [one for each in case.sql.filters for one in getattr(each.rhs, "members", (each.rhs,))]
    compared = {one.folded if isinstance(one, Text) else str(one) for one in values if one is not None}
    meant = [codes[code] for codes in case.rules.codes.values() for code in compared & codes.keys()]
    return f" {' '.join(meant)}".casefold()


_MEASURE = lazy(r"(\d+)(?:ppm|ppb|°?c|°?f|bar|psi|db|rpm|hz|v|w|a|lux|pct|pcs)")


def _is_measure(each: QuestionFilter, sql: str) -> bool:
    """Whether it is a number with its unit, and the SQL has the number: `25ppm`."""
    found = _MEASURE.fullmatch(each.rhs.folded) if isinstance(each.rhs, Text) else None
    return found is not None and found[1] in sql


def _is_name(each: QuestionFilter) -> bool:
    surely = each.certain >= CERTAIN and each.source is FilterOrigin.QUESTION
    stressed = each.span.isupper() and not _SMALL_WORDS.isdisjoint(each.span.split())
    return surely and not stressed and isinstance(each.rhs, Text) and bool(_long_words(each.rhs.folded))


_SMALL_WORDS = frozenset("A AN THE OF IN NOT ONLY EACH EVERY ALL EVER SAME JUST AND OR".split())
"""Words of no name: capitals stress them, `days IN A ROW`."""


def _long_words(text: str) -> list[str]:
    return [word for word in _MARKS.split(text) if len(word) > 2]


def long_question(case: Case) -> Finding | None:
    """The question is long.

    Long questions are answered wrong more often. Full strength at 40 words. It names no fault.

    >>> long_question(case("How many of the parcels that we sent last week are late?",
    ...     "SELECT COUNT(*) FROM parcels WHERE late = 1")).detail
    '12 words'
    """
    words = case.words
    return Finding(min(1.0, (words - 8) / 32), f"{words} words") if words > 8 else None


def question_not_english(case: Case) -> Finding | None:
    """The question is in another language than English, and no rewriting in English stands in.

    The local judge does not read it, so the score is of the SQL alone. A model reads it.

    >>> question_not_english(case("Wie viele Pakete gingen letzten Monat nach Faro?",
    ...     "SELECT COUNT(*) FROM parcels")).detail
    'German'
    """
    return Finding(1.0, case.question.language) if case.question.language else None


def plain_question(case: Case) -> Finding | None:
    """The question names no period, no figure that houses define in ways of their own, or nobody whom they count.

    Which date a period is of, in which zone, which rows are revenue and who is a customer is written in a company's
    dictionary. Where nothing of that is asked, an agent needs no dictionary. Full strength where none is named.

    >>> plain_question(case("Who is the captain of the Aurora?",
    ...     "SELECT captain FROM ships WHERE name = 'Aurora'")).detail
    'no period, no amount or rate, no customers or orders'
    """
    if case.follow_up is not None or case.question.language:  # what it asks is said elsewhere, or is not read
        return None
    times = any(isinstance(each.rhs, TIMES) for each in case.question.filters)
    dated = times or bool(case.question.time_ranges)
    measured = _OWN_FIGURES.search(case.asked) is not None
    if dated and measured:
        return None
    named = (dated, measured, _COUNTED.search(case.asked) is not None)
    free = [part for part, is_named in zip(_PLAIN, named, strict=True) if not is_named]
    return Finding(round(sum(weight for weight, _ in free), 2), ", ".join(name for _, name in free))


_PLAIN = ((0.5, "no period"), (0.15, "no amount or rate"), (0.35, "no customers or orders"))
_OWN_FIGURES = lazy(
    r"revenue|sales|turnover|income|profit|margin|amount|spen[dt]|cost|price|paid|pay|fees?\b|value|worth|[$€£]"
    r"|\b(?:eur|usd|gbp|m?arr|mrr)\b|owe|refund|invoice|bill|balance|takings|basket"
    r"|rate|share|%|percent|pct|ratio|proportion|utili[sz]|occupan|conversion|churn"
)
"""Amounts and rates."""
_COUNTED = lazy(
    r"\b(?:(?:customer|client|member|subscriber|user|account|buyer|guest|patient|donor|tenant|student|contract|order"
    r"|booking|subscription|shipment|policy|reservation|lead)s?|policies)\b"
)
"""People and deals: a house has test accounts, merged ones, drafts and cancellations among them."""
