"""The wheel has one name, loads quickly, and works beside an application with modules of our rooms' names."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hatch_build import ROOMS, UnmovableImportError, moved
from tests.supply.images import ROOT

MOST_DISTRIBUTIONS = 8
"""Which an installation without extras has, ours among them."""
MOST_SECONDS = 0.4
"""CPU that importing the library may take on a machine that is not slowed down."""
MOST_TIMES = 4.0
"""How much more CPU than its parser alone it may take on any other."""
PARSER = "import time; began = time.process_time(); import sqlglot; print(time.process_time() - began)"
APPLICATION = """
import sys, time
began = time.process_time()
from sqlassay import score
print(time.process_time() - began)
answer = score(question="How many hens?", sql="SELECT COUNT(*) FROM hens")
print(answer.score, sorted({each.partition(".")[0] for each in sys.modules} - set(sys.stdlib_module_names)))
"""
_MODULE = re.compile(rf"(?:{'|'.join(ROOMS)})(?:\.\w+)*")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from scoring.rules import Rules", "from sqlassay.scoring.rules import Rules"),
        ("import migrations", "from sqlassay import migrations"),
        ("import service.judges as judges", "from sqlassay.service import judges as judges"),
        ("def f():\n    from scoring import x  # why", "def f():\n    from sqlassay.scoring import x  # why"),
        ("x = 'φ'; from evals import y", "x = 'φ'; from sqlassay.evals import y"),
        ("from scoring.x import (\n    a,\n    b,\n)", "from sqlassay.scoring.x import (\n    a,\n    b,\n)"),
        ("from sqlassay.rules import Rules", "from sqlassay.rules import Rules"),
        ("import sqlglot, json\nfrom services import x", "import sqlglot, json\nfrom services import x"),
        ("text = 'from scoring import x'", "text = 'from scoring import x'"),
    ],
)
def test_imports_of_rooms_are_moved_and_nothing_else(source: str, expected: str) -> None:
    assert moved(source, "x.py") == expected


@pytest.mark.parametrize("source", ["import scoring.rules", "import scoring, json"])
def test_an_import_that_cannot_be_moved_is_refused(source: str) -> None:
    with pytest.raises(UnmovableImportError, match=r"x\.py:1"):
        moved(source, "x.py")


def named_modules(path: Path) -> Iterator[str]:
    """The modules of rooms that a file names in a text."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _MODULE.fullmatch(node.value):
            place = ROOT.joinpath(*node.value.split("."))
            if "." in node.value and (place.is_dir() or place.with_suffix(".py").is_file()):
                yield f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"


def test_no_text_names_a_module_of_a_room() -> None:
    """Its name is another in the wheel: import the module and ask it for its `__name__`."""
    assert [each for room in ROOMS for path in (ROOT / room).rglob("*.py") for each in named_modules(path)] == []


def test_an_installation_without_extras_has_few_distributions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    waiting = [Requirement(each) for each in project["dependencies"]]
    assert len(waiting) <= 5
    found = {"sqlassay"}
    while waiting:
        need = waiting.pop()
        found.add(canonicalize_name(need.name))
        try:
            children = map(Requirement, requires(need.name) or ())
        except PackageNotFoundError:
            continue
        extras = {"", *need.extras}
        waiting += [
            each
            for each in children
            if each.name not in found
            and (each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras))
        ]
    assert len(found) <= MOST_DISTRIBUTIONS, sorted(found)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel, and with the packages of this one."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    venv.create(folder / "env")
    python = folder / "env" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    [packages] = (folder / "env" / "lib").glob("python3.*/site-packages")
    installed = {each.name for each in packages.iterdir()}
    assert {each for each in installed if not each.endswith(".dist-info")} == {"sqlassay"}
    # a folder that a .pth file names has its own .pth files ignored: this checkout stays out
    (packages / "packages.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "env"


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an application whose modules have the names of all rooms."""
    folder = tmp_path_factory.mktemp("application")
    for room in ROOMS:
        (folder / f"{room}.py").write_text(f"raise RuntimeError('the application\\'s {room}')")
    (folder / "service.py").unlink()
    (folder / "service").mkdir()
    (folder / "service" / "__init__.py").write_text("raise RuntimeError('the application\\'s service')")
    (folder / "app.py").write_text(APPLICATION)
    return folder


def run(environment: Path, application: Path, *arguments: str, seconds: int = 60) -> str:
    done = subprocess.run(
        [str(environment / "bin" / "python"), *arguments],
        cwd=application,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow  # builds the wheel
def test_the_library_works_beside_an_application_and_loads_quickly(environment: Path, application: Path) -> None:
    said = [run(environment, application, "app.py").splitlines() for _ in range(9)]
    parser = min(float(run(environment, application, "-c", PARSER)) for _ in range(5))
    assert min(float(each[0]) for each in said) < max(MOST_SECONDS, MOST_TIMES * parser)
    assert {each[1] for each in said} == {"80.0 ['__main__', 'sqlassay', 'sqlglot']"}


@pytest.mark.slow
def test_the_commands_work_beside_an_application(environment: Path, application: Path) -> None:
    answer = ("-q", "How many hens?", "--sql", "SELECT COUNT(*) FROM hens")
    row = json.loads(run(environment, application, "-m", "sqlassay", "score", *answer))
    assert row["score"] == 80.0
    assert "Worst answers" in run(environment, application, "-m", "sqlassay", "demo", "--once", seconds=300)


@pytest.mark.slow
def test_every_module_of_the_wheel_can_be_imported(environment: Path, application: Path) -> None:
    script = (
        "import importlib, pkgutil, sqlassay\n"
        "for each in pkgutil.walk_packages(sqlassay.__path__, 'sqlassay.'):\n"
        "    if each.name.endswith('__main__') or '.migrations.' in each.name:\n"
        "        continue\n"
        "    try:\n"
        "        importlib.import_module(each.name)\n"
        "    except ModuleNotFoundError as error:\n"
        "        assert error.name in ('pyarrow', 'atheris', 'pyspark', 'ray'), (each.name, error)\n"
    )
    run(environment, application, "-c", script, seconds=120)


@pytest.mark.slow
def test_the_library_is_typed(environment: Path, application: Path) -> None:
    (application / "typed.py").write_text(
        "from sqlassay import Rules, score, score_many\n"
        "answer = score(question='a', sql='b', rules=Rules(benign_filters=['a = 1']))\n"
        "wrong: str = answer.score\n"
        "codes: list[str] = [each.code for each in answer.reasons]\n"
        "scores: list[float | None] = [each.score for each in score_many([{'question': 'a', 'sql': 'b'}])]\n"
    )
    python = str(environment / "bin" / "python")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", python, "typed.py"]
    done = subprocess.run(command, cwd=application, capture_output=True, text=True, check=False)
    errors = [each for each in json.loads(done.stdout)["generalDiagnostics"] if each["severity"] == "error"]
    assert [each["range"]["start"]["line"] for each in errors] == [2]
