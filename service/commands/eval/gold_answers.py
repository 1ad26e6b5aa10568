"""Labelled answers with their references: compared by running and searching, and ready to show to a model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from consumers.judging.comparing.gold_case import GoldCase, GoldEvidence
from consumers.judging.comparing.gold_judges import GoldJudge, GoldPart
from evals.agreement import Judged
from evals.runner.answers import Equivalence, EquivalenceFinding
from evals.runner.cases import BenchmarkCase
from service.commands.background_file import read_backgrounds
from service.commands.eval.judge_options import JudgeOptions
from service.commands.eval.labelled_answers import LabelledAnswer
from service.commands.exits import refuse
from service.commands.gold.case_schemas import Sources
from service.commands.gold.comparing_processes import ComparePlan, ComparingProcesses, open_comparing
from service.commands.gold.judge_names import gold_queries
from service.commands.learn.pair_input import pair_evidence

SUBSET = "subset"
"""The field by which answers whose label is not what their results say are counted apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldAnswer:
    """A labelled answer beside its reference."""

    label: LabelledAnswer
    case: GoldCase
    same_rows: bool | None = None
    """Whether both queries give the same rows on the answer's database; `None` where that is not known."""

    def judged(self, p_correct: float, options: JudgeOptions) -> Judged:
        """The answer with what a judge said of it."""
        found = self.label.judged(p_correct, options)
        return replace(found, fields={**found.fields, SUBSET: self.subset})

    @property
    def subset(self) -> tuple[str, ...]:
        """`hard` where the results say something else than the label, with which of the two; `easy` elsewhere."""
        if self.same_rows is None:
            return ()
        if self.same_rows == self.label.correct:
            return ("easy",)
        return ("hard", "equal results, labelled wrong" if self.same_rows else "other results, labelled right")


def check_gold_options(options: JudgeOptions, judges: Sequence[GoldJudge]) -> None:
    """Ends the command when an option is not for the judges that were named."""
    given = {"--databases": options.databases, "--schemas": options.schemas, "--background": options.background}
    used = [name for name, value in given.items() if value is not None]
    if judges:
        _check_for_gold(options, judges)
    elif used:
        refuse(f"{used[0]} is for judges that see the reference: name a baseline, or --judge llm --with-reference")


def _check_for_gold(options: JudgeOptions, judges: Sequence[GoldJudge]) -> None:
    if options.held_out or options.alone:
        refuse("--held-out and --alone are for judges that see no reference: leave them out")
    if len(judges) > 1 and (options.prompts is not None or options.replies is not None):
        refuse("--prompts and --replies are for one judge: name one")
    if options.databases is not None and "://" not in options.databases and not Path(options.databases).is_dir():
        refuse(f"--databases: there is no folder {options.databases}")
    read_backgrounds(options.background)


def results_alone(answers: Sequence[GoldAnswer], options: JudgeOptions) -> list[Judged]:
    """The answers as comparing results judges them: 1 for the same rows, 0 for others; none without a database."""
    known = [each for each in answers if each.same_rows is not None]
    return [each.judged(float(each.same_rows is True), options) for each in known]


def gold_answers(
    labels: Sequence[LabelledAnswer], judges: Sequence[GoldJudge], options: JudgeOptions
) -> list[GoldAnswer]:
    """The answers that have a `reference_sql`, in order, with what these judges need. Ends the command without any."""
    backgrounds = read_backgrounds(options.background)
    cases = [(label, reference) for label in labels if (reference := _reference(label)) is not None]
    if not cases:
        refuse("no answer has a `reference_sql` to compare with: add it to the lines of LABELS.jsonl")
    findings = _findings(cases, options) if _needs_findings(judges, options) else [None] * len(cases)
    return [
        GoldAnswer(
            label=label,
            case=GoldCase(
                sql=label.query.sql,
                gold=gold_queries(reference),
                question=label.query.question or None,
                enriched_question=label.query.enriched_question,
                dialect=label.query.dialect,
                evidence=_evidence(label, reference, finding),
                background=backgrounds.of(_db_id(label)),
            ),
            same_rows=_same_rows(finding) if options.databases is not None else None,
        )
        for (label, reference), finding in zip(cases, findings, strict=True)
    ]


def _evidence(label: LabelledAnswer, reference: str, finding: EquivalenceFinding | None) -> GoldEvidence:
    """What comparing gave; of a pair without a question, the tables of its own `schema`."""
    found = (finding.evidence if finding is not None else None) or GoldEvidence()
    ddl = label.row.get("schema")
    if found.schema or "sql_a" not in label.row or not isinstance(ddl, str):
        return found
    own = pair_evidence(ddl, (reference, label.query.sql), label.query.dialect, f"the pair {label.id}")
    return replace(found, schema=own.schema)


def _reference(label: LabelledAnswer) -> str | None:
    found = label.row.get("reference_sql")
    return found if isinstance(found, str) and found.strip() else None


def _db_id(label: LabelledAnswer) -> str | None:
    found = label.row.get("db_id")
    return str(found) if isinstance(found, str | int) and str(found) else None


def _needs_findings(judges: Sequence[GoldJudge], options: JudgeOptions) -> bool:
    given = options.databases is not None or options.schemas is not None
    return given or any(GoldPart.WITNESS in judge.shows for judge in judges)


def _same_rows(finding: EquivalenceFinding | None) -> bool | None:
    if finding is None or finding.equivalence in {Equivalence.NOT_COMPARED, Equivalence.SKIPPED}:
        return None
    return finding.equivalence is Equivalence.EQUIVALENT


def _findings(cases: Sequence[tuple[LabelledAnswer, str]], options: JudgeOptions) -> list[EquivalenceFinding]:
    sources = Sources(databases=options.databases, schemas=options.schemas)
    return asyncio.run(_compared(cases, ComparePlan(sources=sources)))


async def _compared(cases: Sequence[tuple[LabelledAnswer, str]], plan: ComparePlan) -> list[EquivalenceFinding]:
    async with open_comparing(plan) as compare:
        return await asyncio.gather(*(_compared_one(compare, *each) for each in cases))


async def _compared_one(compare: ComparingProcesses, label: LabelledAnswer, reference: str) -> EquivalenceFinding:
    case = BenchmarkCase(
        case_id=label.id,
        question=label.query.question,
        gold_sql=reference,
        schema="",
        complexity="",
        category="",
        metadata={"db_id": _db_id(label), "dialect": label.query.dialect},
    )
    return await compare(case, label.query.sql)
