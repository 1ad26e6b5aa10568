"""The house stays one that a newcomer can walk: small rooms, small modules, small functions, unique names.

Import direction and circles are `make check`'s import contracts (`pyproject.toml`).
"""

from __future__ import annotations

import ast
import gc
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HERE = "tests/test_house.py"
ROOMS = (
    *("scoring", "references", "learning", "consumers", "evals", "service", "migrations", "grafana", "deploy"),
    *("benchmarks", "sqlassay"),
)
GENERATED = "benchmarks/everyday/*/*/data.py"
"""Rows of invented companies: data, not code."""
MOST_MODULES = 26
MOST_LINES = 350
MOST_LINES_OF_A_FUNCTION = 40
MOST_BRANCHES = 12

LARGER: dict[str, str] = {"migrations/versions/": "one module for each revision, in order; none is ever removed"}
"""`folder/`, `file.py` or `file.py:function` of what may be larger than a limit, with the reason."""
SHARED_CLASS_NAMES: dict[str, str] = {"Scorer": "the library's, for programs, and the port of the pool of processes"}
"""Public class names that two modules may define, with the reason."""
SPLIT = "move what changes for another reason into a module of its own, or name it in LARGER with the reason"

Function = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.IfExp, ast.ExceptHandler, ast.match_case)


def modules() -> list[Path]:
    found = (path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    return sorted(path for path in found if not path.match(GENERATED))


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def inside(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions and classes that it defines."""
    waiting = [function]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            yield child
            if not isinstance(child, _SCOPES):
                waiting.append(child)


def branches(function: ast.AST) -> int:
    """Counts statements that branch or loop, further operands of `and` and `or`, and comprehensions with their ifs."""
    count = 0
    for node in inside(function):
        if isinstance(node, _BRANCHES):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
    return count


def lines(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    # millions of objects, and no garbage: looking for some takes three quarters of the time
    gc.disable()
    try:
        return {named(path): ast.parse(path.read_text(encoding="utf-8")) for path in modules()}
    finally:
        gc.enable()


@pytest.fixture(scope="module")
def functions(trees: dict[str, ast.Module]) -> list[tuple[str, int, int]]:
    """Name, lines and branches of each."""
    return [
        (f"{name}:{node.name}", lines(node), branches(node))
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, Function)
    ]


def too_large(sizes: Mapping[str, int], most: int, unit: str, fix: str) -> list[str]:
    """A line for each that is larger than the limit: what, the rule, and what to do."""
    return [
        f"{name} has {size} {unit}, at most {most}: {fix}"
        for name, size in sizes.items()
        if size > most and name not in LARGER
    ]


def listed(faults: Sequence[str]) -> str:
    """All faults of a gate as the message of its failure."""
    return "\n".join(["", *faults])


@pytest.fixture(scope="module")
def folder_sizes() -> dict[str, int]:
    return dict(Counter(f"{named(path.parent)}/" for path in modules() if path.name != "__init__.py"))


@pytest.fixture(scope="module")
def module_sizes() -> dict[str, int]:
    return {named(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}


def test_no_folder_holds_more_modules_than_a_reader_can_scan(folder_sizes: dict[str, int]) -> None:
    fix = "make a room below it for those that belong together, or name it in LARGER with the reason"
    faults = too_large(folder_sizes, MOST_MODULES, "modules", fix)
    assert not faults, listed(faults)


def test_no_module_is_long(module_sizes: dict[str, int]) -> None:
    faults = too_large(module_sizes, MOST_LINES, "lines", SPLIT)
    assert not faults, listed(faults)


def test_no_function_is_long(functions: list[tuple[str, int, int]]) -> None:
    fix = "give a part of it a name, or name it in LARGER with the reason"
    faults = too_large({name: long for name, long, _ in functions}, MOST_LINES_OF_A_FUNCTION, "lines", fix)
    assert not faults, listed(faults)


def test_no_function_branches_much(functions: list[tuple[str, int, int]]) -> None:
    fix = "give a part of it a name, use a table, or name it in LARGER with the reason"
    faults = too_large({name: count for name, _, count in functions}, MOST_BRANCHES, "branches", fix)
    assert not faults, listed(faults)


def test_whatever_is_larger_needs_to_be_and_says_why(
    functions: list[tuple[str, int, int]], module_sizes: dict[str, int], folder_sizes: dict[str, int]
) -> None:
    large = {name for name, size in folder_sizes.items() if size > MOST_MODULES}
    large |= {name for name, size in module_sizes.items() if size > MOST_LINES}
    large |= {name for name, long, count in functions if long > MOST_LINES_OF_A_FUNCTION or count > MOST_BRANCHES}
    faults = [f"{name} is not too large: take it out of LARGER in {HERE}" for name in LARGER if name not in large]
    faults += [f"{name} in LARGER has no reason: say why it may be larger" for name, why in LARGER.items() if not why]
    assert not faults, listed(faults)


def test_public_class_names_are_unique(trees: dict[str, ast.Module]) -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for name, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    faults = [
        f"class {name} stands in {' and '.join(where)}: rename one after what it is there"
        for name, where in places.items()
        if len(where) > 1 and name not in SHARED_CLASS_NAMES
    ]
    faults += [
        f"class {name} is defined once: take it out of SHARED_CLASS_NAMES in {HERE}"
        for name in SHARED_CLASS_NAMES
        if len(places[name]) < 2
    ]
    assert not faults, listed(faults)


def test_no_module_imports_a_private_name_of_another(trees: dict[str, ast.Module]) -> None:
    faults = [
        f"{name}:{node.lineno} imports {alias.name} of {node.module}: make it public there, or ask a public function"
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name.startswith("_") and alias.name != "__version__"
    ]
    assert not faults, listed(faults)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("def f(x):\n    return x", 0),
        ("def f(x):\n    if x:\n        return 1\n    elif x > 2:\n        return 2", 2),
        ("def f(x):\n    return [y for y in x if y and y > 2]", 3),
        ("def f(x):\n    def g(y):\n        return 1 if y else 2\n    return g", 0),
    ],
)
def test_branches_are_counted(source: str, count: int) -> None:
    assert branches(ast.parse(source).body[0]) == count


def test_a_gate_names_the_file_the_rule_and_the_fix() -> None:
    assert too_large({"a.py": 9, "b.py": 3}, 4, "lines", "split it") == ["a.py has 9 lines, at most 4: split it"]
