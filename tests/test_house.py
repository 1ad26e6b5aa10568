"""The house stays one that a newcomer can walk: small rooms, small modules, small functions, unique names.

Import direction and circles are `make check`'s import contracts (`pyproject.toml`).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
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

EXCEPTIONS: dict[str, str] = {}
"""`path` or `path:function` of what may be larger, with the reason."""
SHARED_CLASS_NAMES: dict[str, str] = {"Scorer": "the library's, for programs, and the port of the pool of processes"}
"""Public class names that two modules may define, with the reason."""

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
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, _SCOPES):
            yield from inside(child)


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
    return {named(path): ast.parse(path.read_text(encoding="utf-8")) for path in modules()}


@pytest.fixture(scope="module")
def functions(trees: dict[str, ast.Module]) -> list[tuple[str, int, int]]:
    """Name, lines and branches of each."""
    return [
        (f"{name}:{node.name}", lines(node), branches(node))
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, Function)
    ]


def test_no_folder_holds_more_modules_than_a_reader_can_scan() -> None:
    counts = Counter(named(path.parent) for path in modules() if path.name != "__init__.py")
    assert {folder: count for folder, count in counts.items() if count > MOST_MODULES} == {}


def too_large(sizes: dict[str, int], most: int) -> dict[str, int]:
    return {name: size for name, size in sizes.items() if size > most and name not in EXCEPTIONS}


def test_no_module_is_long() -> None:
    sizes = {named(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert too_large(sizes, MOST_LINES) == {}


def test_no_function_is_long(functions: list[tuple[str, int, int]]) -> None:
    assert too_large({name: long for name, long, _ in functions}, MOST_LINES_OF_A_FUNCTION) == {}


def test_no_function_branches_much(functions: list[tuple[str, int, int]]) -> None:
    assert too_large({name: count for name, _, count in functions}, MOST_BRANCHES) == {}


def test_every_exception_names_something_large_and_its_reason(functions: list[tuple[str, int, int]]) -> None:
    large = {name for name, long, _ in functions if long > MOST_LINES_OF_A_FUNCTION}
    large |= {name for name, _, count in functions if count > MOST_BRANCHES}
    large |= {named(path) for path in modules() if len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES}
    assert set(EXCEPTIONS) <= large
    assert all(EXCEPTIONS.values())


def test_public_class_names_are_unique(trees: dict[str, ast.Module]) -> None:
    counts = Counter(
        node.name
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in counts.items() if count > 1} == set(SHARED_CLASS_NAMES)
    assert all(SHARED_CLASS_NAMES.values())


def test_no_module_imports_a_private_name_of_another(trees: dict[str, ast.Module]) -> None:
    private = [
        f"{name}: {node.module}.{alias.name}"
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name.startswith("_") and alias.name != "__version__"
    ]
    assert private == []


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
