"""`sqlassay eval judge`: measures how far a judge agrees with labels, and shows or writes the reports."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown

from consumers.judging.comparing.gold_judges import GoldJudge
from evals.agreement import Judged, confidence_from, intervals, measure, slices
from evals.by_agent import by_agent
from evals.cascade import expected
from evals.everyday import everyday
from evals.judge_table import judge_row, judge_table
from evals.paired import Paired, pair
from evals.plots import reliability, risk_coverage
from evals.report import Report
from scoring.judging.local import LocalJudge
from scoring.rules import JudgePolicy
from service.commands.eval.gold_answers import SUBSET, check_gold_options, gold_answers, results_alone
from service.commands.eval.gold_verdicts import gold_verdicts, write_gold_prompts
from service.commands.eval.held_out import held_out_judgements, training_files
from service.commands.eval.judge_options import JudgeOptions
from service.commands.eval.labelled_answers import LabelledAnswer, read_labelled_answers
from service.commands.eval.stored_verdicts import stored_verdicts, write_prompts
from service.commands.eval.verdicts import Verdicts, verdicts_of
from service.commands.exits import refuse
from service.commands.gold.judge_names import gold_judges_of
from service.commands.rules.learned_file import learned_for
from service.commands.score import read_judge

_SHARES = {"full": 0.85, "most": 0.65}
"""The share of answers judged as labelled that each bound of Γ stands for: the paper's γ is such a share."""


def measure_judge(options: JudgeOptions) -> None:
    """Measures each file of labels by itself, shows the reports, and writes them to `--out`."""
    _check(options)
    judge = read_judge(options.weights)
    files = {
        source: list(read_labelled_answers(source, with_enriched=not options.question_only, rules=options.rules))
        for source in options.labels
    }
    gold = gold_judges_of(options.judge, with_reference=options.with_reference)
    if gold:
        _measure_with_gold(files, gold, options, judge)
        return
    if options.prompts is not None:
        write_prompts([label for source in options.labels for label in files[source]], options.prompts, judge)
        return
    held_out = held_out_judgements(files, options.held_out, options) if options.held_out else {}
    measured: list[tuple[Report, list[Judged]]] = []
    for source in options.labels:
        labels = files[source]
        verdicts = verdicts_of(source, labels, options, judge, held_out.get(source))
        measured.append((_report(source, labels, verdicts, options, judge), verdicts.rows))
    _finish(measured, (), options, named=lambda report: report.labels)


def _measure_with_gold(
    files: Mapping[str, list[LabelledAnswer]], judges: Sequence[GoldJudge], options: JudgeOptions, local: LocalJudge
) -> None:
    """Measures judges that are shown the reference, side by side where there are several."""
    if options.databases is not None:
        options = replace(options, by=[*(options.by or ()), SUBSET])
    if options.prompts is not None:
        labels = [label for source in options.labels for label in files[source]]
        write_gold_prompts(gold_answers(labels, judges[:1], options), judges[0], options)
        return
    measured: list[tuple[Report, list[Judged]]] = []
    tables: list[str] = []
    for source in options.labels:
        answers = gold_answers(files[source], judges, options)
        found = {judge.name: gold_verdicts(answers, judge, options) for judge in judges}
        for name, rows in found.items():
            report = _report(source, files[source], Verdicts(rows=rows, judge=name), options, local)
            measured.append((report, rows))
        tables += _side_by_side(source, {"equal results": results_alone(answers, options), **found})
    _finish(measured, tables, options, named=lambda report: f"{report.judge} on {report.labels}")


def _side_by_side(source: str, found: Mapping[str, list[Judged]]) -> list[str]:
    """The table of the judges that judged something, where there are at least two."""
    rows = [judge_row(name, judged) for name, judged in found.items() if judged]
    return [judge_table(Path(source).stem, rows)] if len(rows) > 1 else []


def _finish(
    measured: Sequence[tuple[Report, list[Judged]]],
    tables: Sequence[str],
    options: JudgeOptions,
    named: Callable[[Report], str],
) -> None:
    """Writes the reports where the options say so, and shows them."""
    reports = [report for report, _ in measured]
    if options.out is not None:
        _write(Path(options.out), reports, {named(report): rows for report, rows in measured}, tables)
    _show(reports, tables, as_json=options.as_json)


def _check_rules(options: JudgeOptions, *, with_gold: bool) -> None:
    """Ends the command when a tenant's rules, or learned ones, do not go with the other options."""
    if options.rules is not None and (options.held_out or with_gold):
        refuse("--rules works for the local judge and for --replies: leave out --held-out and judges that see gold SQL")
    if options.learned is not None and options.replies is not None:
        refuse("--learned is for a model that is asked now: leave out --replies, whose verdicts are stored")


def _check(options: JudgeOptions) -> None:
    """Ends the command when the options contradict each other."""
    gold = gold_judges_of(options.judge, with_reference=options.with_reference)
    check_gold_options(options, gold)
    if not 0.5 <= options.bar <= 1 or not 0 <= (options.model_accuracy or 0) <= 1:
        refuse("--bar lies in [0.5, 1] and --model-accuracy in [0, 1]")
    if options.held_out and options.replies is not None and options.judge != JudgePolicy.CASCADE:
        refuse("--held-out fits the local judge: with --replies it works for a cascade only")
    training_files(options)
    _check_rules(options, with_gold=bool(gold))
    if options.alone and options.replies is None:
        refuse("--alone reads a model's own verdicts from --replies: name a file of replies")
    learned_for(options.learned, JudgePolicy.LLM if gold else JudgePolicy(options.judge))


def _report(
    source: str, labels: Sequence[LabelledAnswer], verdicts: Verdicts, options: JudgeOptions, judge: LocalJudge
) -> Report:
    rows = verdicts.rows
    if not rows:
        refuse(f"{source}: no answer could be judged")
    accuracy, against = options.model_accuracy, options.against
    return Report(
        judge=verdicts.judge,
        labels=Path(source).stem,
        unscored=len(labels) - len(rows),
        measures=measure(rows),
        bounds={name: confidence_from(rows, share) for name, share in _SHARES.items()},
        intervals=intervals(rows),
        everyday=everyday(rows),
        by_agent=by_agent(rows) if "agent" in (options.by or ()) else None,
        slices={field: slices(rows, field) for field in options.by or ()},
        cascade=expected(rows, model_accuracy=accuracy) if accuracy is not None else (),
        asked=verdicts.asked,
        against=_paired(rows, stored_verdicts(labels, against, options, judge)) if against is not None else None,
        other=Path(against).stem if against is not None else "",
    )


def _paired(rows: list[Judged], other: list[Judged]) -> Paired:
    try:
        return pair(rows, other)
    except ValueError as error:
        refuse(f"--against: {error}")


def _show(reports: Sequence[Report], tables: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps([report.document() for report in reports], indent=1))
        return
    page = "\n".join([*tables, *(report.markdown() for report in reports)])
    if sys.stdout.isatty():
        Console().print(Markdown(page))
    else:
        print(page)


def _write(
    folder: Path, reports: Sequence[Report], judged: Mapping[str, Sequence[Judged]], tables: Sequence[str] = ()
) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        page = "\n".join([*tables, *(report.markdown() for report in reports)])
        (folder / "report.md").write_text(page, encoding="utf-8")
        (folder / "report.json").write_text(json.dumps([report.document() for report in reports], indent=1) + "\n")
        reliability(judged, folder / "reliability.png")
        risk_coverage(judged, folder / "risk_coverage.png")
    except OSError as error:
        refuse(f"cannot write {folder}: {error.strerror or error}")
