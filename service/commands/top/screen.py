"""Draws the board on a terminal. Names of tenants and agents are hostile text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from service.commands.rendering.terminal import one_line
from service.commands.top.board import AgentRow, Board

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
MOST_ROWS = 10
"""Rows of a table; `--json` has all."""


def screen(board: Board) -> RenderableType:
    """The board, what is wrong at its head."""
    answering = sum(each.role is not None for each in board.processes)
    head = (
        f"SQLAssay · {board.at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC · {answering} of {len(board.processes)} processes"
    )
    parts: list[RenderableType] = [Text(head, style="bold")]
    parts += [Text(one_line(each, 300), style="bold red") for each in board.faults]
    parts += [_processes(board), *_flow(board), *_partitions(board), *_alarms(board), *_agents(board)]
    return Group(*parts)


def _processes(board: Board) -> RenderableType:
    table = _table("process", "role", "up for", "queue", "paused", "down")
    for each in board.processes:
        up = None if each.started_at is None else (board.at - each.started_at).total_seconds()
        table.add_row(
            Text(each.url),
            Text(each.role or "does not answer", style="" if each.role else "red"),
            "–" if up is None else age(up),
            "–" if each.queue is None else f"{each.queue:,}",
            Text(", ".join(each.paused)),
            Text(", ".join(each.down), style="bold red"),
        )
    return table


def _flow(board: Board) -> Iterator[RenderableType]:
    """What was counted since the look before, what waits, the last hour and the judge's cost."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name, said in _lines(board):
        grid.add_row(Text(name, style="bold"), said)
    yield Text("")
    yield grid


def _lines(board: Board) -> Iterator[tuple[str, Text]]:
    found = board.rates
    if found is None:
        yield "per second", Text("unknown until the next look")
    else:
        said = f"received {found.received:.1f} · scored {found.scored:.1f} · duplicates {found.duplicates:.1f}"
        yield "per second", Text(said)
        for name in ("unscored", "deferred", "dead_lettered"):
            reasons: Mapping[str, float] = getattr(found, name)
            if reasons:
                yield f"  {name.replace('_', '-')}", Text(_reasons(reasons, ".1f"), style="yellow")
    yield "dead letters", Text(f"{_reasons(board.dead_letters, ',')} since the start" if board.dead_letters else "none")
    if board.waiting is not None:
        deferred, sinks = _reasons(board.waiting.deferred, ","), _reasons(board.waiting.sinks, ",")
        yield "waiting", Text(f"deferred {deferred} · references {board.waiting.references:,} · sinks {sinks}")
    if board.hour is not None:
        unscored = _reasons(board.hour.unscored, ",")
        yield (
            "last hour",
            Text(f"received {board.hour.received:,} · scored {board.hour.scored:,} · unscored {unscored}"),
        )
    if board.today is not None:
        yield "judge today", Text(_cost(board))


def _cost(board: Board) -> str:
    models = board.today or []
    if not models:
        return "no model"
    each = (f"{one_line(one.model, 60)} {one.cost:,.4f} for {one.answers:,} answers" for one in models)
    return f"{sum(one.cost for one in models):,.4f}: {', '.join(each)}"


def _partitions(board: Board) -> Iterator[RenderableType]:
    if not board.partitions:
        return
    table = _table("topic", "partition", "group", "lag", "", title=_title("Lag", board.partitions))
    for each in board.partitions[:MOST_ROWS]:
        stuck = Text("stuck", style="bold red") if each.stuck else Text("")
        table.add_row(Text(each.topic), str(each.partition), Text(each.group), f"{each.lag:,}", stuck)
    yield table


def _alarms(board: Board) -> Iterator[RenderableType]:
    if board.alarms is None:
        return
    if not board.alarms:
        yield Text("\nNo alarm is on.", style="green")
        return
    table = _table("tenant", "agent", "alarms", title=_title("Alarms", board.alarms))
    for each in board.alarms[:MOST_ROWS]:
        table.add_row(_name(each.tenant), _name(each.agent), Text(", ".join(each.kinds), style="bold red"))
    yield table


def _agents(board: Board) -> Iterator[RenderableType]:
    if not board.agents:
        return
    table = _table("tenant", "agent", "version", "last answer", "silence", title=_title("Agents", board.agents))
    for each in board.agents[:MOST_ROWS]:
        table.add_row(
            _name(each.tenant),
            _name(each.agent),
            _name(each.agent_version or ""),
            f"{age(each.seconds)} ago",
            _silence(each),
        )
    yield table


def _silence(row: AgentRow) -> Text:
    if row.silence is None:
        return Text("–")
    return Text(f"{row.silence:.0%}", style="bold red" if row.silence >= 1 else "")


def age(seconds: float) -> str:
    """A length of time in one unit.

    >>> [age(each) for each in (-3, 12.4, 200, 11_000, 400_000)]
    ['0 s', '12 s', '3 min', '3 h', '4 d']
    """
    for length, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"


def _reasons(counts: Mapping[str, float], how: str) -> str:
    """Each name with its count.

    >>> _reasons({"EMPTY_SQL": 2, "NOT_A_SELECT": 1}, ","), _reasons({}, ",")
    ('3 (EMPTY_SQL 2, NOT_A_SELECT 1)', '0')
    """
    if not counts:
        return "0"
    each = ", ".join(f"{one_line(name, 60)} {value:{how}}" for name, value in counts.items())
    return f"{sum(counts.values()):{how}} ({each})"


def _title(name: str, rows: Sequence[object]) -> str:
    return name if len(rows) <= MOST_ROWS else f"{name}: {MOST_ROWS} of {len(rows)}"


def _name(text: str) -> Text:
    return Text(one_line(text, 40))


def _table(*columns: str, title: str | None = None) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, title=title, title_justify="left")
    for each in columns:
        table.add_column(
            each, justify="right" if each in {"queue", "lag", "partition", "up for", "silence"} else "left"
        )
    return table
