"""`sqlassay eval run`: asks a backend for the SQL of each case, checks and compares it, and writes the rates."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consumers.judging.rates import Rate
from evals.runner.answers import AnswerScore
from evals.runner.cases import BenchmarkCase
from evals.runner.rates import summary_of
from evals.runner.self_agreement import SelfAgreement, self_agreement
from references.comparison.defog import RULES
from scoring import EVALUATOR_VERSION
from scoring.rules import JudgePolicy, Rules
from scoring.sql.dialects import canonical_dialect
from service.commands.eval.runner.answering import Answering, ScoreAnswer
from service.commands.eval.runner.assessing import AssessmentPlan, meanings, prepare, query_of, score_of
from service.commands.eval.runner.backends.building import IMPORT_SECONDS, build_backend
from service.commands.eval.runner.benchmark_file import Benchmark, InvalidBenchmarkError, Selection, read_benchmark
from service.commands.eval.runner.dry_runs import bigquery_place, check_gold, opened_dry_run
from service.commands.eval.runner.gating import check_gate_options, gate
from service.commands.eval.runner.generating import Asking, GenerationCache, NamedBackend, unnamed
from service.commands.eval.runner.journal import Journal, Key, OtherRunError, open_journal
from service.commands.eval.runner.run_files import show_summary, write_run
from service.commands.eval.runner.run_opinions import gold_identity, opened_opinions
from service.commands.eval.runner.run_options import EvalRunOptions
from service.commands.eval.runner.shipped_benchmark import with_shipped_benchmark
from service.commands.eval.runner.study_files import cross_checked, write_study
from service.commands.eval.runner.verifying_answers import VerifyPlan
from service.commands.exits import refuse
from service.commands.gold.case_schemas import Sources, unread_schemas
from service.commands.gold.judge_names import checked_judge, gold_judge_of, scoring_policy
from service.commands.gold.schema_tools import check_tool, is_tool
from service.commands.gold.targets import UnusableTargetError, is_target, source_hash
from service.commands.one_answer.answer_scorer import LocalAnswerScorer, record_of
from service.commands.progress import progress
from service.commands.score import read_judge
from service.processes.forked_call import CallEnded, call_in_fork
from service.processes.limited_pool import CallStopped, LimitedPool, ProcessLimits, limited_pool

ASSESSORS = 2
"""Processes that check answers."""
_MEGABYTES = 4 * 1024
"""Address space of one, including the solver's libraries."""
_WORTH_A_PROCESS = 16
"""Answers for which it pays to start another process."""
INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def run_benchmark(options: EvalRunOptions) -> None:
    """Runs the cases that are not finished yet, writes the folder of the run, prints the rates and checks the gate."""
    _check(options)
    check_gate_options(options)
    if options.benchmark is None:
        options = with_shipped_benchmark(options)
    try:
        benchmark = read_benchmark(
            options.benchmark or "", dialect=options.dialect, databases=options.databases, schemas=options.schemas
        )
        backend = build_backend(options, _sources(options))
        cases = _selected(options, benchmark)
        _name_unread_schemas(options, cases)
        identity = _identity(options, benchmark, backend)
        with open_journal(Path(options.out), identity) as journal:
            keys = _keys(cases, backend, options.samples)
            run = Run(options=options, cases=cases, keys=keys, backend=backend, journal=journal, identity=identity)
            _finish(run)
    except (InvalidBenchmarkError, OtherRunError) as error:
        refuse(str(error))
    except OSError as error:
        refuse(_unwritable(error, options.out))
    except ExceptionGroup as group:
        # the answers run in a group of tasks, of which one could not write
        unwritable = group.subgroup(OSError)
        if unwritable is None:
            raise
        refuse(_unwritable(next(_leaves(unwritable)), options.out))


def _name_unread_schemas(options: EvalRunOptions, cases: list[BenchmarkCase]) -> None:
    """Says on stderr which schemas cannot be read: answers are then judged without them."""
    wanted = [(each.db_id, query_of(each, "", options.dialect).dialect) for each in cases]
    for said in unread_schemas(_sources(options), wanted):
        print(f"sqlassay: {said}: names are not checked, and tables are inferred", file=sys.stderr)


def _unwritable(error: OSError, out: str) -> str:
    return f"cannot write {error.filename or out}: {error.strerror or error}"


def _leaves(group: ExceptionGroup[OSError]) -> Iterator[OSError]:
    for each in group.exceptions:
        if isinstance(each, ExceptionGroup):
            yield from _leaves(each)
        else:
            yield each


def _check(options: EvalRunOptions) -> None:
    """Ends the command when an option cannot be used."""
    checked_judge(options.judge)
    if options.dialect is not None and canonical_dialect(options.dialect) is None:
        refuse(f"unknown dialect {options.dialect!r}: name one that `sqlassay score --dialect` accepts")
    _check_schemas(options.schemas)
    if options.databases is not None and "://" not in options.databases and not Path(options.databases).is_dir():
        refuse(f"--databases: there is no folder {options.databases}")
    _check_semantics(options)
    if options.dry_run is not None:
        bigquery_place(options.dry_run)
    read_judge(options.weights)
    if options.cache is not None and Path(options.cache).is_file():
        refuse(f"--cache: {options.cache} is a file: name a folder")


def _check_schemas(place: str | None) -> None:
    """Ends the command when the schemas are neither a callable, a tool that its server offers, nor there."""
    if place is None:
        return
    if is_tool(place):
        try:
            check_tool(place)
        except UnusableTargetError as error:
            refuse(f"--schemas: {error}")
    elif not is_target(place) and not Path(place).exists():
        refuse(f"--schemas: there is no file or folder {place}")


def _check_semantics(options: EvalRunOptions) -> None:
    if options.semantics is not None and options.semantics not in RULES:
        refuse(f"unknown semantics {options.semantics!r}: one of {', '.join(RULES)}")
    if options.semantics is not None and options.databases is None:
        refuse("--semantics is for results: name the --databases that give them")


def _resolver_hash(schemas: str | None) -> str | None:
    """The hash of the code of a callable that gives the schemas. Ends the command when it cannot be imported."""
    if schemas is None or not is_target(schemas):
        return None
    try:
        return call_in_fork(source_hash, schemas, cpu_seconds=IMPORT_SECONDS)
    except UnusableTargetError as error:
        refuse(f"--schemas {error}")
    except CallEnded as ended:
        refuse(f"--schemas {schemas}: its import ended the process ({ended})")


def _sources(options: EvalRunOptions) -> Sources:
    return Sources(
        databases=options.databases,
        schemas=options.schemas,
        functions=tuple(options.functions or ()),
        any_role=options.any_role,
        seconds=options.seconds,
    )


def _selected(options: EvalRunOptions, benchmark: Benchmark) -> list[BenchmarkCase]:
    chosen = Selection(
        schema=options.schema, complexity=options.complexity, category=options.category, limit=options.limit
    ).of(benchmark.cases)
    if not chosen:
        refuse("no case of the benchmark has that --schema, --complexity and --category")
    return chosen


def _keys(cases: list[BenchmarkCase], backend: NamedBackend, samples: int) -> list[Key]:
    """The case and sample of each answer. A method without a prediction for a case is not asked for it."""
    numbers = range(1, max(samples, len(backend.methods)) + 1)
    keys = [(case.case_id, sample) for case in cases for sample in numbers]
    found = keys if backend.given is None else [key for key in keys if key in backend.given]
    if not found:
        refuse("no prediction is for a case of the benchmark")
    return found


def _verify_plan(options: EvalRunOptions) -> VerifyPlan | None:
    both = options.databases is not None and options.schemas is not None
    wanted = both if options.verify is None else options.verify
    return VerifyPlan(bound=options.bound, seconds=options.verify_seconds) if wanted else None


def _identity(options: EvalRunOptions, benchmark: Benchmark, backend: NamedBackend) -> dict[str, object]:
    """What decides the result of a run: another start with the same goes on, one with another is refused."""
    weights = hashlib.sha256(Path(options.weights).read_bytes()).hexdigest() if options.weights else None
    verify = _verify_plan(options)
    return {
        "benchmark": benchmark.sha256,
        "backend": backend.name,
        "backend_identity": backend.identity,
        "judge": options.judge,
        "weights": weights,
        "evaluator_version": EVALUATOR_VERSION,
        "databases": unnamed(options.databases),
        "schemas": unnamed(options.schemas),
        "resolver": _resolver_hash(options.schemas),
        "grounding": options.grounding,
        "dialect": options.dialect,
        "selection": [options.schema, options.complexity, options.category, options.limit],
        "samples": options.samples,
        "timeout": options.timeout,
        "seconds": options.seconds,
        "functions": sorted(options.functions or ()),
        "any_role": options.any_role,
        "semantics": options.semantics,
        "verify": [verify.bound, verify.seconds] if verify is not None else None,
        **({"dry_run": options.dry_run} if options.dry_run is not None else {}),
        **gold_identity(options),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a backend over the chosen cases."""

    options: EvalRunOptions
    cases: list[BenchmarkCase]
    keys: list[Key]
    """Every answer of the run, in the order of the benchmark."""
    backend: NamedBackend
    journal: Journal
    identity: Mapping[str, object]

    @property
    def plan(self) -> AssessmentPlan:
        """How answers are checked."""
        return AssessmentPlan(
            sources=_sources(self.options),
            grounding=self.options.grounding,
            dialect=self.options.dialect,
            weights=self.options.weights,
            verify=_verify_plan(self.options),
            semantics=self.options.semantics,
            shows=gold_judge_of(self.options.judge) is not None,
        )

    def answers(self) -> list[dict[str, Any]]:
        """What is finished, in the order of the benchmark."""
        finished = self.journal.finished
        return [finished[key] for key in self.keys if key in finished]

    def summary(self, agreement: SelfAgreement | None) -> dict[str, object]:
        """The content of `summary.json`."""
        about = {name: self.identity[name] for name in ("benchmark", "backend", "judge", "evaluator_version")}
        about["samples"] = self.options.samples
        records = [each["record"] for each in self.answers()]
        return summary_of(about, records, expected=len(self.keys), agreement=agreement)


def _finish(run: Run) -> None:
    """Runs what is left, and writes the files of the run; after Ctrl-C those of what is done."""
    agreement: SelfAgreement | None = None
    try:
        with progress("evaluating", len(run.keys)) as advance:
            advance(len(run.answers()))
            agreement = asyncio.run(_run(run, lambda: advance(1)))
    except KeyboardInterrupt:
        write_run(Path(run.options.out), run.answers(), run.summary(None))
        left = len(run.keys) - len(run.answers())
        print(f"sqlassay: stopped with {left} answers to go: the same command goes on", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    summary = run.summary(agreement)
    if run.plan.verify is not None:
        summary["study"] = write_study(Path(run.options.out), run.answers())
    write_run(Path(run.options.out), run.answers(), summary)
    show_summary(summary, as_json=run.options.as_json)
    gate(run.options, summary, [each["record"] for each in run.answers()])


async def _run(run: Run, advance: Callable[[], None]) -> SelfAgreement | None:
    left = [key for key in run.keys if key not in run.journal.finished]
    waiting = iter(left)
    limits = ProcessLimits(workers=min(ASSESSORS, 1 + len(left) // _WORTH_A_PROCESS), megabytes=_MEGABYTES)
    cases = {each.case_id: each for each in run.cases}
    rate = Rate(per_minute=run.options.rate, burst=1, apart=0) if run.options.rate is not None else None
    async with (
        limited_pool(limits, prepare, run.plan) as pool,
        run.backend.opened(),
        _judge(run) as score,
        opened_opinions(run.options) as add_opinion,
        opened_dry_run(run.options.dry_run) as dry_run,
    ):
        await check_gold(_of_keys(run.cases, left), dry_run)
        cache = GenerationCache(Path(run.options.cache), run.backend) if run.options.cache else None
        asking = Asking(run.backend, run.options.timeout, rate, cache if run.backend.cached else None)
        answering = Answering(
            ask=asking, pool=pool, plan=run.plan, score=score, add_opinion=add_opinion, dry_run=dry_run
        )

        async def work() -> None:
            for case_id, sample in waiting:
                entry = await answering(cases[case_id], sample)
                run.journal.add((case_id, sample), entry)
                advance()

        async with asyncio.TaskGroup() as group:
            for _ in range(min(run.options.concurrency, len(run.keys))):
                group.create_task(work())
        if run.plan.verify is not None and run.backend.methods:
            await cross_checked(run.cases, [each["record"] for each in run.answers()], pool)
        return await _agreement(run, pool) if run.options.samples > 1 else None


def _of_keys(cases: list[BenchmarkCase], keys: list[Key]) -> list[BenchmarkCase]:
    wanted = {case_id for case_id, _ in keys}
    return [each for each in cases if each.case_id in wanted]


@asynccontextmanager
async def _judge(run: Run) -> AsyncGenerator[ScoreAnswer | None]:
    """The judge that asks a model; `None` for the local one, which scores where answers are checked."""
    policy = scoring_policy(run.options.judge)
    if policy is JudgePolicy.LOCAL:
        yield None
        return
    from service.commands.one_answer.model_scorer import with_model  # noqa: PLC0415 the model client loads slowly

    scorer = with_model(LocalAnswerScorer(Rules(), read_judge(run.options.weights)), policy)
    async with scorer.asking() as ask:

        async def score(case: BenchmarkCase, sql: str) -> AnswerScore:
            result = await ask(query_of(case, sql, run.options.dialect))
            return score_of(record_of(result, scorer.rules))

        yield score


async def _agreement(run: Run, pool: LimitedPool) -> SelfAgreement | None:
    """How far the samples of each case agree with each other."""
    found: dict[str, list[int | None]] = {}
    seconds = run.options.seconds * 2 * run.options.samples + 5
    for case in run.cases:
        records = [run.journal.finished[(case.case_id, n)]["record"] for n in range(1, run.options.samples + 1)]
        answers = [each["generated_sql"] for each in records]
        grouped = await pool.call(meanings, case, answers, seconds=seconds)
        with suppress(TypeError):
            found[case.case_id] = [None] * len(answers) if isinstance(grouped, CallStopped) else grouped
    return self_agreement(found)
