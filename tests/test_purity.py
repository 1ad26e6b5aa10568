"""Scoring is pure: its source says so, and scoring the samples twice gives the same bytes."""

import ast
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from consumers.wire.events import InvalidEvent, decode_event
from consumers.wire.rules_document import decode_rules
from scoring.query import Query
from scoring.rules import Rules
from service.commands.score_lines import LocalScorer
from service.judges.weights import local_judge
from service.samples import sample_events, sample_rules

ROOM = Path(__file__).parent.parent / "scoring"
MODULES = sorted(ROOM.rglob("*.py"))

FORBIDDEN = """
asyncio concurrent http io logging multiprocessing os pathlib random secrets select selectors shutil signal socket
sqlite3 ssl subprocess tempfile threading time urllib uuid weakref
"""
EFFECTS = frozenset({"open", "print", "input", "exec", "eval", "compile", "breakpoint", "__import__", "globals"})
CLOCK = frozenset({"now", "today", "utcnow"})
MUTATORS = """
append add update pop popitem clear setdefault extend insert remove discard sort reverse appendleft
"""


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the room"
            yield (node.module or "").partition(".")[0]


def called(tree: ast.Module) -> Iterator[ast.expr]:
    return (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))


def module_names(tree: ast.Module) -> frozenset[str]:
    """Names bound by assignment at module level."""
    targets: list[ast.expr] = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets.extend(node.targets)
        elif isinstance(node, ast.AnnAssign):
            targets.append(node.target)
    return frozenset(name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))


def mutations(tree: ast.Module, names: frozenset[str]) -> Iterator[str]:
    """Places that change what a module-level name holds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield f"line {node.lineno}: global {', '.join(node.names)}"
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) and held(node.value, names):
            yield f"line {node.lineno}: {ast.unparse(node)} is assigned"
        elif isinstance(node, ast.Call) and mutating(node.func, names):
            yield f"line {node.lineno}: {ast.unparse(node.func)}()"


def mutating(method: ast.expr, names: frozenset[str]) -> bool:
    return isinstance(method, ast.Attribute) and method.attr in MUTATORS.split() and held(method.value, names)


def held(node: ast.expr, names: frozenset[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


@pytest.fixture(params=MODULES, ids=lambda path: path.relative_to(ROOM).as_posix())
def tree(request: pytest.FixtureRequest) -> ast.Module:
    return parsed(request.param)


def test_scoring_imports_only_the_standard_library_sqlglot_and_itself(tree: ast.Module) -> None:
    allowed = (sys.stdlib_module_names - set(FORBIDDEN.split())) | {"sqlglot", "scoring"}
    assert set(imported(tree)) <= allowed


def test_scoring_never_waits(tree: ast.Module) -> None:
    waits = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)
    assert not [node for node in ast.walk(tree) if isinstance(node, waits)]


def test_scoring_touches_nothing_outside_its_arguments(tree: ast.Module) -> None:
    assert not [name.id for name in called(tree) if isinstance(name, ast.Name) and name.id in EFFECTS]


def test_scoring_reads_no_clock(tree: ast.Module) -> None:
    calls = [call for call in called(tree) if isinstance(call, ast.Attribute)]
    assert not [ast.unparse(call) for call in calls if call.attr in CLOCK]
    assert not [ast.unparse(call) for call in calls if isinstance(call.value, ast.Name) and call.value.id == "time"]


def test_no_function_of_scoring_changes_what_a_module_holds(tree: ast.Module) -> None:
    names = module_names(tree)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found = [place for node in functions for place in mutations(ast.Module([node], []), names)]
    assert not found


@pytest.mark.parametrize(
    ("source", "caught"),
    [
        ("TABLE = {}\ndef f(x):\n    TABLE[x] = 1", 1),
        ("SEEN = []\ndef f(x):\n    SEEN.append(x)", 1),
        ("COUNT = 0\ndef f():\n    global COUNT\n    COUNT += 1", 1),
        ("TABLE = {}\ndef f(x):\n    rows = {}\n    rows[x] = TABLE[x]\n    return rows", 0),
    ],
)
def test_the_check_for_module_state_can_fail(source: str, caught: int) -> None:
    tree = ast.parse(source)
    assert len(list(mutations(tree, module_names(tree)))) == caught


def sample_queries() -> Iterator[tuple[Query, Rules]]:
    rules = {tenant: decode_rules(document).rules(version=1) for tenant, document in sample_rules().items()}
    for sample in sample_events():
        try:
            event = decode_event(sample, require_id=True)
        except InvalidEvent:
            continue
        yield event.query(), rules[event.tenant]


def test_scoring_the_samples_again_in_another_order_gives_the_same_records() -> None:
    queries = list(sample_queries())
    once = [json.dumps(LocalScorer(rules, local_judge()).record(query)) for query, rules in queries]
    again = [json.dumps(LocalScorer(rules, local_judge()).record(query)) for query, rules in reversed(queries)]
    assert len(once) >= 150
    assert once == again[::-1]


def test_no_pattern_is_possessive() -> None:
    """Python 3.11 before 3.11.5, Debian 12's among them, loses groups after `++`, `*+` and `}+`."""
    possessive = re.compile(r"(?:[\])}]|\\[dws])[+*]\+|\}\+(?!=)|\(\?>")
    found = [
        f"{path.relative_to(ROOM.parent)}:{number}"
        for room in ("scoring", "consumers", "service")
        for path in (ROOM.parent / room).rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if possessive.search(line)
    ]
    assert not found
