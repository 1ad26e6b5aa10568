"""Shows a finding in Markdown: the database and both results as small tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from references.equivalence.finding_json import plain
from references.equivalence.pair import EquivalenceVerdict, PairFinding, Witness
from references.sandbox import Result, Row, Value

_LONGEST = 60
"""The most characters of a cell."""
_MOST_ROWS = 20
"""The most rows of a table that are shown."""


def explain(title: str, sql_a: str, sql_b: str, finding: PairFinding) -> str:
    """Returns the finding in Markdown. Rows that only one result has are marked with `←`."""
    lines = [f"## {title}: {_headline(finding)}", "", *_queries(sql_a, sql_b)]
    if finding.witness is not None:
        lines += _witness(finding.witness)
    if finding.assumption:
        lines += [f"Assumption: {finding.assumption}.", ""]
    if finding.reason:
        lines += [f"{finding.reason[:1].upper()}{finding.reason[1:]}.", ""]
    lines += [f"- guessed: {note}" for note in finding.notes]
    return "\n".join(lines).rstrip() + "\n"


def _headline(finding: PairFinding) -> str:
    if finding.verdict is EquivalenceVerdict.DIFFERENT:
        return f"different ({finding.level.value if finding.level else ''})"
    if finding.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND:
        return f"equal on every database with up to {finding.bound} rows per table"
    return finding.verdict.value.replace("_", " ")


def _queries(sql_a: str, sql_b: str) -> list[str]:
    fence = "````" if "```" in sql_a + sql_b else "```"
    return [f"{fence}sql", f"-- A\n{sql_a.strip()}\n-- B\n{sql_b.strip()}", fence, ""]


def _witness(witness: Witness) -> list[str]:
    lines: list[str] = []
    for name, rows in witness.rows.items():
        lines += [f"**{_text(name)}**", "", *_table(witness.columns[name], rows, ()), ""]
    for label, result, other in (("A", witness.result_a, witness.result_b), ("B", witness.result_b, witness.result_a)):
        lines += [
            f"**{label} gives** {_rows(result)}",
            "",
            *_table(result.columns, result.rows, _alone(result, other)),
            "",
        ]
    return lines


def _rows(result: Result) -> str:
    count = len(result.rows)
    return "no row" if not count else f"{count} row{'s' if count > 1 else ''}"


def _alone(result: Result, other: Result) -> tuple[int, ...]:
    """Positions of the rows that the other result does not have, or has less often."""
    left = Counter(other.rows)
    found: list[int] = []
    for index, row in enumerate(result.rows):
        if left[row] > 0:
            left[row] -= 1
        else:
            found.append(index)
    return tuple(found)


def _table(columns: Sequence[str], rows: Sequence[Row], marked: Sequence[int]) -> list[str]:
    heads = [*map(_text, columns), *([""] if marked else [])]
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for index, row in enumerate(rows[:_MOST_ROWS]):
        mark = [" ←" if index in marked else ""] if marked else []
        lines.append(f"| {' | '.join([*map(_cell, row), *mark])} |")
    if len(rows) > _MOST_ROWS:
        lines.append(f"| … {len(rows) - _MOST_ROWS} more |")
    return lines


def _cell(value: Value) -> str:
    """NULL is told from the text `NULL`, and 1 from the text `1`.

    >>> _cell(None), _cell("NULL"), _cell(1), _cell("1")
    ('NULL', "'NULL'", '1', "'1'")
    """
    if value is None:
        return "NULL"
    return f"'{_text(value)}'" if isinstance(value, str) else _text(str(plain(value)))


def _text(text: str) -> str:
    line = " ".join(text.split()) if text.strip() else text.replace("\n", " ")
    short = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    return short.replace("|", "\\|").replace("<", "&lt;")
