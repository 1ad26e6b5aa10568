"""`sqlassay eval compare` and `sqlassay eval leaderboard`: what changed between runs, and all runs side by side."""

from __future__ import annotations

import sys
from pathlib import Path

import orjson
from rich.console import Console
from rich.markdown import Markdown

from evals.runner.pages import comparison_page, leaderboard_rows, leaderboard_table
from evals.runner.paired_runs import pair_runs, same_questions
from service.commands.eval.runner.compare_options import CompareRunsOptions, LeaderboardOptions
from service.commands.eval.runner.journal import replace_file
from service.commands.eval.runner.run_files import rendered
from service.commands.eval.runner.stored_runs import read_run, read_summary
from service.commands.exits import refuse


def compare_runs(options: CompareRunsOptions) -> None:
    """Prints what changed from the first run to the second."""
    (name, first), (other, second) = read_run(options.first), read_run(options.second)
    changed = same_questions(first, second)
    if changed:
        refuse(f"the question or gold SQL of {len(changed)} cases differs between the runs, first {changed[0]!r}")
    try:
        found = pair_runs(first, second)
    except ValueError as error:
        refuse(str(error))
    if options.as_json or not sys.stdout.isatty():
        print(orjson.dumps({"first": name, "second": other, **found.document()}, option=orjson.OPT_INDENT_2).decode())
    else:
        Console().print(Markdown(comparison_page(name, other, found, second)))


def write_leaderboard(options: LeaderboardOptions) -> None:
    """Writes the leaderboard of some runs, best first."""
    rows = leaderboard_rows([(Path(each).name or each, read_summary(each)) for each in options.runs])
    folder = Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(folder / "leaderboard.md", leaderboard_table(rows).encode())
        replace_file(folder / "leaderboard.html", rendered("leaderboard.html", rows=rows).encode())
    except OSError as error:
        refuse(f"cannot write {folder}: {error.strerror or error}")
