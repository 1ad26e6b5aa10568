"""Signals about one row of each group: chosen too late, from too fine groups, or not chosen at all."""

from __future__ import annotations

import re
from itertools import combinations

from scoring.linking import is_named
from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.unmet.latest import is_not_yet, is_of_latest, largest_of_named
from scoring.signals.mistakes.unmet.neighbours import ranked_by_other
from scoring.signals.mistakes.unmet.other_rows import date_of_other_row
from scoring.signals.mistakes.unmet.times.firsts import (
    every_for_first,
    first_of_a_period,
    first_of_those,
    neighbours_of_all,
)
from scoring.signals.mistakes.wording import asked, cue, said, shapes
from scoring.specification import Block, Column, Projection, SqlSpec
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import is_own_key, key_stems
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_EVER = lazy(
    r"\bfirst[- ]time\b|\bfor the first time\b|\bfirst(?: \w+){0,3}? ever\b|\bfirst-ever\b|\b(?:very|ever) first\b"
    r"|\bwhose first\b|\b(?:new|first-time) (?:customers|users|members|guests|patients|buyers|clients|subscribers)\b"
)
_IS = lazy(
    r"\b(?:very )?(?:first|last|latest|most recent|newest|earliest|current)(?: \w+){1,5}? (?:was|were|is|are"
    r"|had|has|=)\b"
    r"|\b(?:was|is|were) (?:the |their |its |his |her )?(?:very )?(?:first|last|latest) \w+ "
    r"(?=an? |by |from |via |not )"
)
_NOW = lazy(r"\b(?:right now|rn|now|currently|current|at the moment|as of today|at present|these days|today)\b")
_HISTORY = lazy(r"\b(?:history|log|logs|latest|last|most recent|newest|snapshots?|events?|changes?)\b")


def extreme_after_condition(case: Case) -> Finding | None:
    """The first or last row is to meet a condition, and it is looked for among the rows that meet it.

    Whose first flight ever was in May is found among all flights. Among those of May, everyone has a first one.

    >>> extreme_after_condition(case("Pilots whose very first flight was a glider", "SELECT pilot FROM (SELECT pilot, "
    ...     "ROW_NUMBER() OVER (PARTITION BY pilot ORDER BY day) AS n FROM flights WHERE kind = 'glider') t WHERE n = 1"
    ... )).detail
    "kind = 'glider' before the first row is taken"
    """
    for each in (one for one in shapes(case, ShapeKind.CHOSEN) if not _is_on_things(one, case)):
        tested, followed = each.columns
        timed = tested == followed
        if timed and "<" in each.text:
            continue  # what comes later takes nobody's first row away
        if (timed and _EVER.search(said(case))) or (not timed and _is_told(each, case)):
            return Finding(1.0, f"{each.text} before the first row is taken")
    every = every_for_first(case) or neighbours_of_all(case)
    return Finding(1.0, every) if every is not None else first_of_those(case) or first_of_a_period(case)


def _is_on_things(shape: Shape, case: Case) -> bool:
    """Whether a condition is on the things whose first rows are taken: it leaves each of them all its rows."""
    tested, followed = shape.columns
    keys = [column for each in shapes(case, ShapeKind.RANK_GROUPS) for column in each.columns]
    return tested.table != followed.table and any(key.table == tested.table and is_own_key(key) for key in keys)


_WHICH_IS = lazy(r"\b(?:first|last|latest|newest) \w+ (?:which|that) (?:is|was|were|has been|got) \w+")
"""Which rows the chosen one is of: `the last order which is delivered`."""


def _is_told(shape: Shape, case: Case) -> bool:
    """Whether the question tells the value of the chosen row; rows of another state are mostly left out of account."""
    if is_of_latest(shape, asked(case)):
        return True
    return is_not_yet(shape, asked(case)) if "<>" in shape.text else _is_of_chosen(shape, case)


def _is_of_chosen(shape: Shape, case: Case) -> bool:
    """Whether the question says that the chosen row has the value: after `whose last … was`, or now."""
    text = asked(case)
    places = [text.find(word.replace("_", " ").strip("%")) for word in shape.words]
    places += [text.find(word.strip("%")) for word in shape.words]
    found = _IS.search(text) if _WHICH_IS.search(text) is None else None
    if found is not None and any(place >= found.end() for place in places):
        return True
    history = _HISTORY.search(f"{said(case)} {' '.join(identifier_words(shape.columns[0].table or ''))}")
    if history is None or not _NOW.search(text) or not any(place >= 0 for place in places):
        return False
    return not any(re.search(rf"\b(?:latest|last|most recent|newest) {re.escape(word)}", text) for word in shape.words)


_EACH_ONE = lazy(r"\b(?:for|of|per|in|by|from) (?:each|every) (\w+)|\bper (\w+)|\b(?:each|every) (\w+?)(?:'s)? ")


def rank_of_finer_groups(case: Case) -> Finding | None:
    """The first row of each thing is asked for, and the rank is within groups of the thing and something else.

    The latest place of each van is one place. Ranked within van and place, each place is a latest one, and so it is
    where MAX is taken within both.

    >>> rank_of_finer_groups(case("What is the latest stop of each van?", "SELECT van_id, city FROM (SELECT van_id, "
    ...     "city, RANK() OVER (PARTITION BY van_id, city ORDER BY day DESC) AS n FROM scans) t WHERE n = 1")).detail
    'the first within van_id, city'
    """
    split = _latest_of_pairs(case)
    if split is not None:
        return Finding(1.0, f"the first within {split}")
    things = frozenset([word for match in _EACH_ONE.finditer(asked(case)) for word in match.groups() if word])
    if len(things) != 1:
        return None
    for each in shapes(case, ShapeKind.RANK_GROUPS):
        odd = _finer(each.columns, things, case)
        if odd is not None:
            return Finding(1.0, f"the first within {odd}")
    other = ranked_by_other(stem(min(things)), case) or _extreme_of_finer(things, case)
    return Finding(1.0, f"the first within {other}") if other is not None else None


def _is_of(column: Column, things: frozenset[str]) -> bool:
    """Whether a column is the key or the name of a thing."""
    named = identifier_words(column.name)
    words = frozenset((*named, *identifier_words(column.table or "")[-1:]))
    return any(is_named(word, words) or any(len(one) > 2 and word.startswith(one) for one in named) for word in things)


_EXTREMES = cue(
    "latest last newest recent biggest largest highest lowest longest shortest smallest cheapest priciest earliest "
    "expensive oldest youngest",
    r"\b(?:latest|last|newest|most recent|biggest|largest|highest|lowest|longest|shortest|smallest|cheapest"
    r"|priciest|(?:most|least) expensive|oldest|youngest|earliest)\b",
)
_LAST_OF_EACH = cue(
    "latest last newest recent",
    r"\b(?:latest|most recent|newest|last)\b(?! (?:\d|few|two|three|name|week|wk|month|quarter|qtr|year|yr|day))",
)
_PER_TWO = lazy(
    r"\b(?:each|every|per|by) \w+(?: \w+)?(?: and| &| /|,(?! (?:with|when|where|who|which|show|date))) (?:\w+ )?\w+"
)


def _latest_of_pairs(case: Case) -> str | None:
    """The keys of GROUP BY, where the latest row of each thing is asked for, and MAX is taken of things and details.

    A detail is a column of the rows themselves, such as the place of each scan, beside the thing's key.
    """
    rows = _rows_of_extreme(case.sql) if _asks_last_of_each(case.asked) else None
    columns = _plain_keys(case.sql) if rows else []
    if not rows or None in rows or not columns or not _takes_time(case.sql):
        return None
    details = [column for column in columns if column.table in rows]
    beside = len(details) < len(columns) or _are_of_two_things(details)
    return ", ".join(column.name for column in columns[:4]) if details and beside else None


def _plain_keys(sql: SqlSpec) -> list[Column]:
    """The keys of GROUP BY, if each is one column."""
    keys = [key.operand.columns for key in sql.group_by]
    return [each[0] for each in keys] if all(len(each) == 1 for each in keys) else []


def _asks_last_of_each(text: str) -> bool:
    """Whether the last of each thing is asked for, and not of each pair of two."""
    return bool(_LAST_OF_EACH.search(text) and _EACH.search(text)) and _PER_TWO.search(text) is None


_EACH = lazy(r"\b(?:each|every|per|all|by)\b")


def _takes_time(sql: SqlSpec) -> bool:
    """Whether the one extreme that is taken is that of a time, and the latest."""
    taken = sql.aggregations[0]
    return taken.func == "MAX" and len(taken.columns) == 1 and is_time(taken.columns[0].name)


def _are_of_two_things(columns: list[Column]) -> bool:
    """Whether no two columns share a word, such as the key and the name of one thing."""
    words = [set(key_stems(column.name) or identifier_words(column.name)) for column in columns]
    return len(words) > 1 and all(one.isdisjoint(other) for one, other in combinations(words, 2))


def _extreme_of_finer(things: frozenset[str], case: Case) -> str | None:
    """The keys of GROUP BY, where MAX is taken of smaller groups than the things whose extreme row is asked for."""
    rows = _rows_of_extreme(case.sql) if _EXTREMES.search(case.asked) is not None else None
    if rows is None:
        return None
    keys = [column for key in case.sql.group_by for column in key.operand.columns]
    others = [column for column in keys if not _is_of(column, things)]
    finer = any(column.table in rows and not _is_beside(column, case) for column in others)
    return ", ".join(column.name for column in keys[:4]) if finer and len(others) < len(keys) else None


def _rows_of_extreme(sql: SqlSpec) -> set[str | None] | None:
    """The tables of whose rows a plain SELECT takes one MAX or MIN, and nothing else."""
    taken = sql.aggregations
    if len(sql.blocks) != 1 or sql.having or sql.windows or [each.func in ("MAX", "MIN") for each in taken] != [True]:
        return None
    return {column.table for column in taken[0].columns}


def _is_beside(column: Column, case: Case) -> bool:
    """Whether the question groups by a column, too: `of each pilot and plane`."""
    words = "|".join(map(re.escape, identifier_words(column.name)))
    beside = rf"\b(?:each|every|per|by) \w+(?: \w+)?(?: and| &|,| /) (?:\w+ )?(?:{words})"
    return re.search(beside, case.asked) is not None


def _finer(columns: tuple[Column, ...], things: frozenset[str], case: Case) -> str | None:
    """The columns that make finer groups than those of the things, if they do."""
    own = [_is_of(column, things) for column in columns]
    if not any(own):
        return None
    by_value = next((column.name for column in columns if _is_value_asked(column, case)), None)
    spoken = [_is_spoken(column, case) for column in columns]
    finer = (False, False) in zip(own, spoken, strict=True)
    return by_value or (", ".join(column.name for column in columns[:4]) if finer else None)


def _is_value_asked(column: Column, case: Case) -> bool:
    """Whether the latest value of a column is what is asked for: `current status of every parcel`."""
    name = re.escape(column.name.replace("_", " "))
    return re.search(rf"\b(?:current|latest|last|newest|most recent) {name}\b", asked(case)) is not None


def _is_spoken(column: Column, case: Case) -> bool:
    words = key_stems(column.name) or identifier_words(column.name)
    return any(is_named(word, case.spoken) for word in words)


_LATEST = lazy(r"\b(?:current|latest|most recent|newest)\b")
_LARGEST = lazy(
    r"\b(?:highest|largest|biggest|max(?:imum)?|peak|top|greatest|best|most (?!recent)\w+|minimum|lowest|min)\b"
)


def latest_read_as_largest(case: Case) -> Finding | None:
    """The value of the latest row of each thing is asked for, and its largest value comes.

    A balance that fell was larger before. MAX of the time beside MAX of the value does not bring both from one row.

    >>> latest_read_as_largest(case("What is the current weight of each van?",
    ...     "SELECT van_id, MAX(weighed_at), MAX(weight) FROM weighings GROUP BY van_id")).detail
    'max(weight) beside max(weighed_at)'
    """
    beside = _largest_of_latest(said(case), case)
    other = date_of_other_row(case) or (largest_of_named(case) if beside is None else None)
    return Finding(1.0, other) if other is not None else beside


def _largest_of_latest(text: str, case: Case) -> Finding | None:
    """The largest value beside the latest time."""
    extremes = [each for each in case.answer if _takes_extreme(each)]
    if not extremes or _LARGEST.search(text):
        return None
    timed = next((each for each in extremes if is_time(each.operand.columns[0].name)), None)
    value = next((each for each in extremes if not is_time(each.operand.columns[0].name)), None)
    if timed is None or value is None or not (_LATEST.search(text) or _is_of_first(value, text)):
        return None
    return Finding(1.0, f"{value.operand.name} beside {timed.operand.name}")


def _is_of_first(value: Projection, text: str) -> bool:
    """Whether the first or last thing is asked for that a column names: its first glider for MIN(glider_name)."""
    things = set(map(stem, re.findall(r"\b(?:first|last|latest) (\w+)", text))) - {"name"}
    return not things.isdisjoint(identifier_words(value.operand.columns[0].name))


def _takes_extreme(shown: Projection) -> bool:
    """Whether a column of the answer is MAX or MIN of one column."""
    operand = shown.operand
    plain = operand.func in ("MAX", "MIN") and len(operand.columns) == 1
    return plain and operand.name in (f"max({operand.columns[0].name})", f"min({operand.columns[0].name})")


_ONE_EACH = lazy(r"\b(?:one|single|1) (?:row|record|line|entry|result) (?:per|for each|for every|each)\b")
_END = lazy(r"\b(?:newest|latest|most recent|last|first|oldest|earliest)\b")
_TWICE = lazy(
    r"\btwice\b|\bdouble[ds]?\b|\bduplicat\w*|\bonly once\b|\bcount (?:those|them|each|these|it) once\b"
    r"|\bre-?(?:sent|loaded"
    r"|uploaded|imported)\b|\bdedup\w*|\bmore than once\b"
)


def repeats_kept(case: Case) -> Finding | None:
    """Repeated rows are to be dropped, and DISTINCT keeps them because they differ in another column.

    With the key of each row beside the rest, no two rows are equal. One row for each thing, the newest, needs a rank.
    Nor does a UNION drop what is in both tables when ALL or a mark of the table keeps it.

    >>> repeats_kept(case("Total weight, scans that were sent twice count once",
    ...     "SELECT SUM(weight) FROM (SELECT DISTINCT scan_id, van_id, weight FROM scans) t")).detail
    'DISTINCT over scan_id'
    """
    return _united(case) or _distinct_rows(case)


def _distinct_rows(case: Case) -> Finding | None:
    """DISTINCT over a column in which repeated rows differ."""
    blocks = [block for block in case.sql.blocks if block.distinct and len(block.tables) == 1]
    if not blocks or case.sql.windows or "distinct on" in case.written.casefold():
        return None
    if _TWICE.search(said(case)):
        key = next((key for block in blocks for key in _own_keys(block, case)), None)
        return Finding(1.0, f"DISTINCT over {key}") if key is not None else None
    return _wide(case) if _ONE_EACH.search(said(case)) and _END.search(said(case)) else None


def _united(case: Case) -> Finding | None:
    """A count of the rows of a UNION that keeps what is in both tables, where each thing is to count once."""
    kept = [each for each in shapes(case, ShapeKind.UNITED_COUNT) if "dropped" not in each.words]
    once = bool(kept) and not case.sql.group_by and _EACH_ONCE.search(said(case))
    return Finding(1.0, kept[0].text) if once else None


_EACH_ONCE = lazy(
    r"\b(?:counts?|counted|is|are) (?:only |just )?(?:once|one)\b|\b(?:how many|number of|count of) (?:different"
    r"|distinct"
    r"|unique)\b|\bboth (?:is|are|counts?) (?:only )?(?:once|one)\b"
    r"|\bcount (?:a|an|each|every) \w+ (?:only |just )?(?:once|one time)\b|\beven (?:if|when) [^.;?]{0,30}\bboth\b"
)


def _wide(case: Case) -> Finding | None:
    """DISTINCT over several columns, of which nothing takes one for each thing."""
    columns = len(case.answer)
    if columns < 2 or case.sql.group_by or case.sql.aggregations:
        return None
    return Finding(1.0, f"DISTINCT over {columns} columns")


def _own_keys(block: Block, case: Case) -> list[str]:
    """The keys of its own rows that a block shows."""
    shown = [each.operand for each in case.sql.projections if each.block == block.path]
    return [each.columns[0].name for each in shown if len(each.columns) == 1 and is_own_key(each.columns[0])]
