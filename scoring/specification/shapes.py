"""Shapes of SQL that experts look twice at: a fact about the text, which is a mistake only for some questions."""

from __future__ import annotations

from enum import StrEnum

from scoring.immutable import immutable
from scoring.specification.terms import Column


class ShapeKind(StrEnum):
    """What a part of the SQL does."""

    REPEATED_ROWS = "repeated rows"
    """An aggregate of a table's column, over a join that repeats the table's rows."""
    COUNTED_ROWS = "counted rows"
    """COUNT of all rows, or of a column that many rows may share, of a block; `columns` are the keys to group by."""
    UNITED_COUNT = "united count"
    """Rows of a UNION are counted: `words` say whether equal ones fall together, or what keeps them apart."""
    DEDUPLICATED = "deduplicated"
    """Amounts are added after equal ones were dropped."""
    MEAN_OF_MEANS = "mean of means"
    """AVG of what is already an average of groups."""
    MEAN_OF_RATIOS = "mean of ratios"
    """AVG of a division of two columns."""
    LEVEL = "level"
    """Rows of a table are kept for a key that another row of the same table meets the condition by."""
    UNCORRELATED = "uncorrelated"
    """A subquery that is the same for every row is tested as if it were of the row."""
    OVERALL = "overall"
    """A column is compared with an aggregate of all rows."""
    NULLABLE_EXCLUSION = "nullable exclusion"
    """NOT IN over a column that may hold NULL, without IS NOT NULL."""
    OUTER_CONDITION = "outer condition"
    """WHERE tests a column that an outer join leaves NULL."""
    SELF_COMPARISON = "self comparison"
    """Two rows of one table, linked by a key of a role, are compared; `words` tell which side is more."""
    SELF_OUTPUT = "self output"
    """The answer shows only the row that holds the role."""
    SELF_PAIR = "self pair"
    """Rows of one table are paired; `words` say how each pair is kept once, if at all."""
    HIDDEN_KEY = "hidden key"
    """A key groups rows and is not shown, nor is the thing it identifies."""
    GRAIN = "grain"
    """Rows are grouped by a part of a date: `words` are the grains."""
    MONTH_NAME_ORDER = "month name order"
    """Rows or sums follow the names of months."""
    MINUTE_FOR_MONTH = "minute for month"
    """A date is written with the code of minutes where months are meant."""
    RUNNING = "running"
    """A sum over a window; `words` are what is unusual of its frame, its order or its groups."""
    FRAME_ROWS = "frame rows"
    """A window reaches back a number of rows or of days: `number`, the current one not counted."""
    NEIGHBOUR = "neighbour"
    """LAG or LEAD; `words` are what its window lacks, or that it looks the other way."""
    RANKED = "ranked"
    """A rank is compared with a constant: `words` hold the function and the direction, `number` the constant."""
    CHANGE = "change"
    """A difference is divided by one of its sides: `words` say which."""
    INVERTED = "inverted"
    """All rows are divided by some of them."""
    OWN_BASE = "own base"
    """A share of itself: the base is restricted like the part."""
    SHIFTED_YEAR = "shifted year"
    """A year is read from a date that was shifted, or from a week's year."""
    DURATION = "duration"
    """A time between two dates, in the unit of `words`."""
    FIELD_OF_INTERVAL = "field of an interval"
    """One field of an interval is taken for the whole of it."""
    COLUMNS_COMPARED = "columns compared"
    """Two columns are compared: the first of `columns` is more than the second, or as `words` say at least equal."""
    BASE_OF_ALL = "base of all"
    """Each group's rows are divided by all rows, and a condition restricts the groups."""
    GROUP_LOST = "group lost"
    """A value is looked for among the extremes of all groups, whatever its own group is."""
    EACH_ALONE = "each alone"
    """Rows of a table are grouped, or ranked, by their own key, so each is alone."""
    SUM_OF_COUNTS = "sum of counts"
    """Counts of groups are added: `columns` are the keys of the groups."""
    NULL_COUNTED = "null counted"
    """COUNT of a column that a condition says is NULL."""
    FILLED = "filled"
    """An average of values in which NULL is replaced."""
    HAVING_ALONE = "having alone"
    """HAVING bounds a count, and nothing groups."""
    UNUSED_REPEATS = "unused repeats"
    """An item is joined whose many rows nothing reads, and rows are counted: `words` is its table."""
    OPTIONAL = "optional"
    """An outer join keeps rows without a partner in the table of `words`."""
    MIXED_OR = "mixed or"
    """An AND without brackets binds a condition to one arm of an OR alone."""
    CHOSEN = "chosen"
    """Rows meet a condition before the first of each group is taken: `columns` are the condition's, `words` its values.

    The last of `columns` is what the order follows."""
    RANK_GROUPS = "rank groups"
    """The first row of each group is taken: `columns` are the keys of the groups."""
    STEP = "step"
    """Values of rows are subtracted or shifted, as what follows one upon another is found; `words` say how."""
    PICKED = "picked"
    """A value of the row at one end of an order: `words` are the end (`least` or `most`) and the value's name."""
    LAST_OF_ROW = "last of row"
    """LAST_VALUE over a frame that ends at the row itself, so that it is the row's own value."""
    ROLE_OUTPUT = "role output"
    """A column is shown of a table joined by a key; `words` are `by` or `holds`, the key, its name and the column."""
    ZONE = "zone"
    """A time is converted to the zone of `words`."""


@immutable()
class Shape:
    """One fact about the SQL as it is written."""

    kind: ShapeKind
    text: str
    """Canonical SQL, for people."""
    columns: tuple[Column, ...] = ()
    words: tuple[str, ...] = ()
    number: int = 0
