"""`sqlassay score`: scores a file of answers, or explains one answer. Needs no database."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scoring.judging.local import InvalidWeightsError, LocalJudge
from scoring.query import Query, Turn
from scoring.rules import JudgePolicy, Rules
from scoring.sql import KNOWN_DIALECTS
from scoring.sql.dialects import canonical_dialect
from service.commands.exits import refuse
from service.commands.files.gates import read_gates
from service.commands.jsonl import STANDARD
from service.commands.one_answer.answer_scorer import LocalAnswerScorer, explain
from service.commands.options import ScoreOptions
from service.judges.weights import fitted_judge, local_judge


def score(options: ScoreOptions) -> None:
    """Scores the file of answers, or explains the one answer, that the options name."""
    query = _one_query(options)
    policy = _known_policy(options.judge)
    gates = read_gates(options.fail_under or ())
    _refuse_contradictions(options, policy)
    local = LocalAnswerScorer(_rules(options, policy), read_judge(options.weights))
    if query is None:
        from service.commands.score_file import score_file  # noqa: PLC0415 one answer needs none of it

        score_file(options, policy, gates, local)
    elif policy is JudgePolicy.LOCAL:
        explain(query, local, as_json=options.as_json)
    else:
        from service.commands.one_answer.model_scorer import with_model  # noqa: PLC0415 the model client loads slowly

        explain(query, with_model(local, policy), as_json=options.as_json)


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
    return Query(question=question, sql=sql, enriched_question=enriched, history=_history(options.history))


def _history(name: str | None) -> tuple[Turn, ...]:
    if name is None:
        return ()
    from service.commands.one_answer.history_file import load_history  # noqa: PLC0415 most answers have no history

    return load_history(name)


def _refuse_contradictions(options: ScoreOptions, policy: JudgePolicy) -> None:
    """Ends the command when an option is of no use beside the others."""
    one = options.source is None
    if options.memory and one:
        refuse("--memory is for a file of answers: one answer has no earlier ones")
    if options.memory and policy is not JudgePolicy.LOCAL:
        refuse(f"--memory works with --judge local, not {policy.value}: leave out one of them")
    if options.jobs > 1 and (options.memory or policy is not JudgePolicy.LOCAL):
        refuse("--jobs works with --judge local and without --memory: leave out one of them")
    if options.databases is None:
        return
    if one or not options.with_reference:
        refuse("--databases is for a file of answers that are compared with their `reference_sql`")
    if "://" not in options.databases and not Path(options.databases).is_dir():
        refuse(f"--databases: there is no folder {options.databases}")


def _rules(options: ScoreOptions, policy: JudgePolicy) -> Rules:
    rules = read_rules(options.rules_file, options.dialect)
    if options.schema_file is not None:
        from service.commands.rules.rules_file import load_schema  # noqa: PLC0415 most runs have no schema

        rules = replace(rules, schema=load_schema(options.schema_file))
    if options.learned is not None:
        from service.commands.rules.learned_file import learned_for  # noqa: PLC0415 most runs have no learned rules

        rules = replace(rules, learned=learned_for(options.learned, policy))
    return rules


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
