"""aiokafka is the one that was read: another version or a changed inner function fails here first."""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import aiokafka
import pytest

from service.kafka.library.adapter import (
    INNER_PARTS,
    NEXT_VERSION,
    READ_VERSION,
    InnerPart,
    UnsupportedLibrary,
    adapt_library,
    check_library,
)
from service.kafka.library.closed_connections import CONNECTION, LIBRARY_SEND

ROOT = Path(__file__).parent.parent.parent
PATCHES = sorted((ROOT / "docs" / "adr" / "aiokafka").glob("*.patch"))
LIBRARY = "service/kafka/library"
PUBLIC = {"aiokafka", "aiokafka.abc", "aiokafka.admin", "aiokafka.admin.config_resource", "aiokafka.errors"}
READ = {
    "AIOKafkaConsumer.start": "2f1ba7044332",
    "Fetcher._fetch_requests_routine": "2a8ec5932644",
    "Fetcher._proc_fetch_request": "59bf948fff47",
    "Fetcher._set_error": "d29810f3f509",
    "Fetcher.fetched_records": "be4348896b9b",
    "Fetcher.__init__": "bf21ecb7e0f2",
    "FetchResult.__init__": "126a3e45763b",
    "FetchResult.getall": "3e717e30de50",
    "PartitionRecords.__init__": "8ec1c2ae6ea1",
    "PartitionRecords.__next__": "63ac34a08c30",
    "PartitionRecords._unpack_records": "b803e6d46480",
    "Assignment.state_value": "183fea82ef48",
    "TopicPartitionState.__init__": "f0b391da1b87",
    "TopicPartitionState.await_reset": "7b5a780dd629",
    "AIOKafkaConnection.send": "5909ea32f4ef",
    "AIOKafkaConnection.close": "28f164aa1e4f",
}
"""What each inner function said when `service/kafka/library/` was last compared with it."""


def source(part: InnerPart) -> str:
    function = LIBRARY_SEND if part.owner is CONNECTION and part.name == "send" else vars(part.owner)[part.name]
    return inspect.getsource(function)


@pytest.mark.parametrize("part", INNER_PARTS, ids=lambda part: f"{part.owner.__name__}.{part.name}")
def test_what_we_replace_or_call_inside_aiokafka_is_what_was_read(part: InnerPart) -> None:
    name, found = f"{part.owner.__name__}.{part.name}", hashlib.sha256(source(part).encode()).hexdigest()[:12]
    assert READ.get(name) == found, (
        f"{name} of aiokafka {aiokafka.__version__} is not the one that was read: compare it with {LIBRARY}/, correct"
        f" that, then write {found!r} beside it in {Path(__file__).name}"
    )


def test_the_pinned_version_is_the_one_that_was_read() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ]
    assert [each.partition("]")[2] for each in needed if each.startswith("aiokafka")] == [
        f">={READ_VERSION},<{NEXT_VERSION}"
    ]
    adapt_library()


@pytest.mark.parametrize("version", ["0.13.9", "0.15.0", "0.140.0", "1.0"])
def test_another_version_is_refused_with_what_to_install(version: str) -> None:
    with pytest.raises(UnsupportedLibrary, match=f'aiokafka {version} .*pip install "aiokafka>=0.14,<0.15"'):
        check_library(version, ())


class Changed:
    """As a later version might be."""

    def send(self, request: object) -> object:
        return request


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        (InnerPart(owner=Changed, name="close", parameters="self"), "Changed.close is gone"),
        (
            InnerPart(owner=Changed, name="send", parameters="self message"),
            r"takes \(self request\), not \(self message\)",
        ),
        (InnerPart(owner=Changed, name="send", parameters="self request", uses="_writer"), "no longer uses _writer"),
    ],
)
def test_an_inner_name_that_has_changed_is_refused(part: InnerPart, fault: str) -> None:
    with pytest.raises(UnsupportedLibrary, match=fault):
        check_library(READ_VERSION, [part])


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_one_room_alone_imports_the_inner_modules_of_aiokafka() -> None:
    found = {
        f"{path.relative_to(ROOT).as_posix()} imports {name}: have it in {LIBRARY}/"
        for room in ("consumers", "service", "evals", "learning", "sqlassay")
        for path in (ROOT / room).rglob("*.py")
        if LIBRARY not in path.as_posix()
        for name in imported(path)
        if name.partition(".")[0] == "aiokafka" and name not in PUBLIC
    }
    assert found == set()


def tried(name: str, library: Path) -> subprocess.CompletedProcess[str]:
    """The outcome of one patch's promise, with the aiokafka in this folder, in plain Python."""
    return subprocess.run(
        [sys.executable, str(Path(__file__).with_name("library_patches.py")), name],
        env={**os.environ, "PYTHONPATH": str(library), "AIOKAFKA_NO_EXTENSIONS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow  # patches a copy of the library
@pytest.mark.parametrize("patch", PATCHES, ids=lambda path: path.stem)
def test_each_patch_in_the_decisions_fits_and_makes_aiokafka_do_so_by_itself(patch: Path, tmp_path: Path) -> None:
    shutil.copytree(
        Path(aiokafka.__file__).parent, tmp_path / "aiokafka", ignore=shutil.ignore_patterns("__pycache__", "*.so")
    )
    before = tried(patch.stem, tmp_path)
    assert before.returncode == 1, f"aiokafka {aiokafka.__version__} does so by itself: remove {patch.name}"
    subprocess.run(["git", "apply", str(patch)], cwd=tmp_path, check=True)
    after = tried(patch.stem, tmp_path)
    assert (after.returncode, after.stderr) == (0, "")
