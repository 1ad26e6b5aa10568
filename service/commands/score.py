"""`sqlassay score`: scores a file of answers, or explains one answer. Needs no database."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from scoring.judging.local import InvalidWeightsError, LocalJudge
from scoring.query import Query, Unscored
from scoring.rules import JudgePolicy, Rules
from scoring.sql import KNOWN_DIALECTS
from scoring.sql.dialects import canonical_dialect
from scoring.verdict import Score
from service.commands.exits import answer_no, refuse
from service.commands.files.columns import Columns
from service.commands.files.formats import ScoredFiles
from service.commands.files.gates import Gate, failed, read_gates
from service.commands.history_file import load_history
from service.commands.jsonl import STANDARD
from service.commands.options import ScoreOptions
from service.commands.rules.learned_file import learned_for
from service.commands.score_lines import NAME_FIELDS, LocalScorer, RunTally, record_of
from service.commands.score_memory import MemoryScorer
from service.commands.score_references import ReferencedScorer, reference_plan
from service.judges.weights import fitted_judge, local_judge

_EXAMPLE = '{"question": "How many members?", "sql": "SELECT COUNT(*) FROM members"}'


class AnswerScorer(Protocol):
    """Scores answers with one tenant's rules."""

    @property
    def rules(self) -> Rules: ...

    def __call__(self, query: Query) -> Score | Unscored: ...

    def score_file(self, files: ScoredFiles) -> RunTally: ...

    def finish(self) -> None:
        """Says what a model did not judge, and why; ends the command where its server refuses all calls."""
        ...


def score(options: ScoreOptions) -> None:
    """Scores the file of answers, or explains the one answer, that the options name."""
    query = _one_query(options)
    policy = _known_policy(options.judge)
    gates = read_gates(options.fail_under or ())
    scorer = _open_scorer(options, policy)
    if query is not None:
        _explain(query, scorer(query), scorer.rules, as_json=options.as_json)
        scorer.finish()
    elif options.source is not None:
        files = ScoredFiles(options.source, options.out, _columns(options))
        _conclude_run(files, scorer.score_file(files), gates, scorer.finish)


def _one_query(options: ScoreOptions) -> Query | None:
    """The answer to explain, or None when the options name a file. Contradictory options end the command."""
    question, sql, enriched = options.question, options.sql, options.enriched
    if question is None and sql is None and enriched is None and options.history is None:
        if options.source is None:
            refuse("name a file of events (- is stdin), or one answer with -q and --sql")
        return None
    if options.source is not None or question is None or sql is None:
        refuse("one answer needs both -q and --sql, and no input file")
    if options.out != STANDARD:
        refuse("--out is for a file of answers; one answer is printed: redirect it with >")
    history = load_history(options.history) if options.history is not None else ()
    return Query(question=question, sql=sql, enriched_question=enriched, history=history)


def _open_scorer(options: ScoreOptions, policy: JudgePolicy) -> AnswerScorer:
    rules = read_rules(options.rules_file, options.dialect)
    if options.schema_file is not None:
        from service.commands.rules.rules_file import load_schema  # noqa: PLC0415 most runs have no schema

        rules = replace(rules, schema=load_schema(options.schema_file))
    rules = replace(rules, learned=learned_for(options.learned, policy))
    if options.jobs > 1 and (options.memory or policy is not JudgePolicy.LOCAL):
        refuse("--jobs works with --judge local and without --memory: leave out one of them")
    local = LocalScorer(rules, read_judge(options.weights), options.cpu_seconds, options.jobs)
    plan = reference_plan(options, rules, policy) if _compares(options) else None
    if policy is not JudgePolicy.LOCAL and not options.memory:
        from service.commands.score_models import with_models  # noqa: PLC0415 the model client loads slowly

        return with_models(local, policy, plan)
    scorer = _with_memory(options, policy, local) if options.memory else local
    return scorer if plan is None else ReferencedScorer(scorer, plan)


def _compares(options: ScoreOptions) -> bool:
    """Whether references of a file are compared. Ends the command when databases are named to no purpose."""
    compares = options.with_reference and options.source is not None
    if options.databases is not None:
        if not compares:
            refuse("--databases is for a file of answers that are compared with their `reference_sql`")
        if "://" not in options.databases and not Path(options.databases).is_dir():
            refuse(f"--databases: there is no folder {options.databases}")
    return compares


def _with_memory(options: ScoreOptions, policy: JudgePolicy, local: LocalScorer) -> MemoryScorer:
    if options.source is None:
        refuse("--memory is for a file of answers: one answer has no earlier ones")
    if policy is not JudgePolicy.LOCAL:
        refuse(f"--memory works with --judge local, not {policy.value}: leave out one of them")
    return MemoryScorer(local)


def read_rules(path: str | None, dialect: str | None) -> Rules:
    """Returns the rules in a JSON file, or the default rules, with the given default dialect."""
    rules = Rules() if path is None else _rules_in(path)
    return rules if dialect is None else replace(rules, dialect=known_dialect(dialect))


def _rules_in(path: str) -> Rules:
    from service.commands.rules.rules_file import load_rules  # noqa: PLC0415 most runs have no rules

    return load_rules(path).rules(version=0)


def known_dialect(name: str) -> str:
    """Returns the dialect of a name; an unknown one ends the command."""
    found = canonical_dialect(name)
    if found is None:
        refuse(f"unknown dialect {name!r}: one of {', '.join(sorted(KNOWN_DIALECTS))}")
    return found


def _known_policy(name: str) -> JudgePolicy:
    if name not in set(JudgePolicy):
        refuse(f"unknown judge {name!r}: one of {', '.join(JudgePolicy)}")
    return JudgePolicy(name)


def read_judge(path: str | None) -> LocalJudge:
    """Returns the local judge with the packaged weights, or with the weights in a file."""
    if path is None:
        return local_judge()
    try:
        return fitted_judge(Path(path))
    except InvalidWeightsError as error:
        refuse(str(error))


def _explain(query: Query, result: Score | Unscored, rules: Rules, *, as_json: bool) -> None:
    """Prints an explanation on a terminal, or the row as JSON."""
    if as_json or not sys.stdout.isatty():
        print(json.dumps({**dict.fromkeys(NAME_FIELDS), **record_of(result, rules)}, ensure_ascii=True))
        return
    # the library of tables is for terminals only
    from service.commands.rendering.answer import explanation, refusal  # noqa: PLC0415 for the reason above
    from service.commands.rendering.terminal import print_to_terminal  # noqa: PLC0415 for the reason above

    print_to_terminal(refusal(query, result) if isinstance(result, Unscored) else explanation(result))


def _columns(options: ScoreOptions) -> Columns:
    return Columns(
        question=options.question_column,
        sql=options.sql_column,
        enriched_question=options.enriched_column,
        event_id=options.id_column,
        dialect=options.dialect_column,
    )


def _conclude_run(files: ScoredFiles, tally: RunTally, gates: Sequence[Gate], finish: Callable[[], None]) -> None:
    """Says what became of the lines. A refused line, no line at all and a gate that is not passed answer no."""
    if tally.lines == 0:
        answer_no(f"{files.source} holds no answers: write one a line, such as {_EXAMPLE}")
    where = "" if files.target == STANDARD else f" → {Path(files.target).name}"
    print(f"{tally}{where}", file=sys.stderr)
    finish()
    faults = failed(gates, tally.figures())
    if tally.first_refused is not None:
        faults.append(f"{tally.refused} of {tally.lines} lines refused; {tally.first_refused}")
    if faults:
        answer_no("; ".join(faults))
