"""`sqlassay bench scoring`: the time to score an event on one core, by stage, compared with a bare parse of its SQL."""

from __future__ import annotations

import gc
import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import thread_time_ns
from typing import TypeVar

import orjson
import sqlglot
from sqlglot.errors import SqlglotError

from consumers.evaluation.event_evaluation import compared_answer
from consumers.wire.events import MAX_EVENT_BYTES, QueryEvent, decode_event
from consumers.wire.rules_document import decode_rules
from scoring.evaluation import align, check_question, conclude, read_enrichment
from scoring.judging.local import LocalJudge
from scoring.memory.decision import weigh_context
from scoring.memory.memories import Memories
from scoring.memory.remembered import RememberedAnswer
from scoring.query import Unscored
from scoring.question import read_question
from scoring.record import score_record
from scoring.rules import Rules
from scoring.sql import read_sql
from scoring.verdict import Case, Reply
from service.commands.exits import refuse
from service.commands.jsonl import InputLine, open_input, read_lines
from service.commands.rendering.report_tables import bench_table
from service.commands.rendering.terminal import print_to_terminal
from service.commands.score_lines import read_event
from service.judges.weights import local_judge
from service.processes.interpreter import tune_interpreter
from service.samples import sample_events, sample_rules

STAGES = ("read_sql", "read_question", "read_enriched", "align", "judge", "conclude", "record")
"""The stages of scoring one event, in order. Their sum is the time of the event."""
MEMORY = "memory"
"""What the tenants' memory adds to an event: digests of the answer, what others say about it, and learning it."""
PARSE = "parse"
"""The yardstick: a bare `sqlglot.parse_one` of the same SQL in the same dialect by the same build. Like the event, it
parses the text for the first time, with cold processor caches."""
PARSE_AGAIN = "parse_again"
"""The same text parsed again at once: the fastest a parse can be, and faster than in any real event."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Stopwatch:
    """CPU nanoseconds of this thread by stage. Other work on the machine does not count."""

    spent: dict[str, int]

    def time(self, stage: str, call: Callable[[], Result]) -> Result:
        """Returns the result of `call` and adds its time to `stage`."""
        began = thread_time_ns()
        result = call()
        self.spent[stage] = self.spent.get(stage, 0) + thread_time_ns() - began
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringSpeed:
    """The medians of all rounds."""

    events: int
    """Distinct SQL texts scored."""
    rounds: int
    micros: Mapping[str, float]
    """Microseconds per event for each stage, memory, the bare parses and decoding."""

    @property
    def event(self) -> float:
        """Microseconds to score one event: all stages, without decoding."""
        return sum(self.micros[stage] for stage in STAGES)

    @property
    def parses(self) -> float:
        """The time of an event as a multiple of one first parse of its SQL."""
        return self.event / self.micros[PARSE]

    @property
    def parses_again(self) -> float:
        """The time of an event as a multiple of parsing the same text again."""
        return self.event / self.micros[PARSE_AGAIN]

    @property
    def events_per_second(self) -> float:
        """On one core, decoding included."""
        return 1e6 / (self.event + self.micros["decode"])

    def document(self) -> dict[str, object]:
        return {
            "events": self.events,
            "rounds": self.rounds,
            "events_per_second": round(self.events_per_second, 1),
            "micros_per_event": {name: round(value, 2) for name, value in self.micros.items()},
            "micros_event": round(self.event, 2),
            "memory_share": round(self.micros[MEMORY] / self.event, 3),
            "parses_per_event": round(self.parses, 3),
            "parses_again_per_event": round(self.parses_again, 3),
            "compiled_sqlglot": compiled(),
        }


def compiled() -> bool:
    """Whether sqlglot is the compiled build (`sqlglot[c]`)."""
    module = sys.modules[sqlglot.Parser.__module__]
    return not str(module.__file__).endswith(".py")


def bench_scoring(source: str | None, *, rounds: int, as_json: bool) -> None:
    """Prints the figures: a table on a terminal, JSON elsewhere."""
    raws, rules = _samples() if source is None else (_file(source), {})
    scorable = [raw for raw in raws if is_scorable(raw, rules)]
    distinct = list({decode_event(raw, require_id=False).sql: raw for raw in scorable}.values())
    if not distinct:
        refuse(f"no event of {source or 'the samples'} can be scored")
    bench = measure(distinct, rules, local_judge(), rounds)
    if as_json or not sys.stdout.isatty():
        print(json.dumps(bench.document()))
    else:
        print_to_terminal(bench_table(bench.document()))


def _samples() -> tuple[list[bytes], dict[str, Rules]]:
    rules = {name: decode_rules(each).rules(version=1) for name, each in sample_rules().items()}
    return [orjson.dumps(each) for each in sample_events()], rules


def _file(source: str) -> list[bytes]:
    with open_input(source) as lines:
        return [line.raw for line in read_lines(lines, MAX_EVENT_BYTES) if line.raw is not None]


def is_scorable(raw: bytes, rules: Mapping[str, Rules]) -> bool:
    """Whether the line is an event whose SQL parses."""
    event = read_event(InputLine(0, raw))
    if isinstance(event, Unscored):
        return False
    if check_question(event.query()) is not None:
        return False
    sql = read_sql(event.sql, event.dialect or _rules_of(event, rules).dialect)
    return not isinstance(sql, Unscored) and _parses(event.sql, sql.dialect)


def _parses(sql: str, dialect: str) -> bool:
    """Whether a bare parse reads it too: the scorer also reads SQL with a fence or words around it."""
    try:
        sqlglot.parse_one(sql, read=dialect)
    except SqlglotError:
        return False
    return True


def _rules_of(event: QueryEvent, rules: Mapping[str, Rules]) -> Rules:
    return rules.get(event.tenant) or Rules()


def measure(raws: Sequence[bytes], rules: Mapping[str, Rules], judge: LocalJudge, rounds: int) -> ScoringSpeed:
    """In each round, scores every event with cold caches, then parses every event's SQL between scorings.

    A warm-up round loads the code and is not counted. The interpreter is configured as in the service.
    """
    tune_interpreter()
    rounds_spent: list[dict[str, int]] = []
    for _ in range(rounds + 1):
        watch = Stopwatch({})
        _clear_caches_and_garbage()
        memories = Memories()
        dialects = [_score_timed(raw, rules, judge, watch, memories) for raw in raws]
        _clear_caches_and_garbage()
        for raw, dialect in zip(raws, dialects, strict=True):
            _parse_timed(raw, dialect, watch)
            _score_timed(raw, rules, judge, Stopwatch({}), Memories())
        rounds_spent.append(watch.spent)
    counted = rounds_spent[1:]
    micros = {name: statistics.median(spent[name] for spent in counted) / 1e3 / len(raws) for name in counted[0]}
    return ScoringSpeed(events=len(raws), rounds=rounds, micros=micros)


def _clear_caches_and_garbage() -> None:
    clear_caches()
    gc.collect()


def _parse_timed(raw: bytes, dialect: str, watch: Stopwatch) -> None:
    parse = partial(sqlglot.parse_one, decode_event(raw, require_id=False).sql, read=dialect)
    watch.time(PARSE, parse)
    watch.time(PARSE_AGAIN, parse)


def _score_timed(
    raw: bytes, rules: Mapping[str, Rules], judge: LocalJudge, watch: Stopwatch, memories: Memories
) -> str:
    """Scores one event, timing each stage. Returns the dialect its SQL was read in."""
    event = watch.time("decode", lambda: decode_event(raw, require_id=False))
    query, own = event.query(), _rules_of(event, rules)
    sql = watch.time("read_sql", lambda: read_sql(query.sql, query.dialect or own.dialect))
    question = watch.time("read_question", lambda: check_question(query) or read_question(query.question))
    if isinstance(sql, Unscored) or isinstance(question, Unscored):
        raise TypeError("only events that can be scored are measured")
    enriched = watch.time("read_enriched", lambda: read_enrichment(query, question))
    case = watch.time("align", lambda: align(query, question, enriched, sql, own))
    reply = watch.time("judge", lambda: judge.judge(case))
    score = watch.time("conclude", lambda: conclude(case, reply))
    watch.time("record", lambda: score_record(score))
    watch.time(MEMORY, lambda: _remember(event, case, reply, judge, memories))
    return sql.dialect


def _remember(event: QueryEvent, case: Case, reply: Reply, judge: LocalJudge, memories: Memories) -> Reply:
    """The reply with memory, which learns the answer."""
    compared = compared_answer(case)
    answer = RememberedAnswer(agent=event.agent, event_id=event.event_id, **compared._asdict())
    memory = memories.of(event.tenant)
    context = memory.recall(answer)
    memory.learn(answer, context)
    return weigh_context(reply, context, judge.weights.thresholds)


def clear_caches() -> None:
    """Clears every cache in `scoring`, as if its SQL had never been seen."""
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == "scoring"]
    for held in {id(each): each for module in modules for each in vars(module).values()}.values():
        clear: object = getattr(held, "cache_clear", None)
        if callable(clear):
            clear()
