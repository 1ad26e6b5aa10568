"""Every method that judges the answers: ours by `sqlassay`, the peers in their own environments."""

from __future__ import annotations

import json
import re
import resource
import sqlite3
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from tests.peers.environments import PeerMissingError, binaries, version
from tests.peers.figures import OURS, Judged

Case: TypeAlias = dict[str, Any]
READER = Path(__file__).parent / "reader.py"
PROGRAMS = Path(sys.executable).parent
_AUDITED = re.compile(r"^q(\d+)\s+\S+\s+\S+\s+(\S+)\s+smells=(\S+)", re.MULTILINE)
PEER_METHODS = {
    "text2sql-eval-toolkit, execution accuracy": ("text2sql-eval-toolkit", "toolkit-exact"),
    "text2sql-eval-toolkit, subset match": ("text2sql-eval-toolkit", "toolkit-subset"),
    "sqlas, values and number of rows": ("sqlas", "sqlas"),
    "nl2sql360, execution match of Spider": ("nl2sql360", "nl2sql360-spider"),
    "nl2sql360, execution match of BIRD": ("nl2sql360", "nl2sql360-bird"),
}


def lines(path: Path, rows: Sequence[object]) -> Path:
    """Writes rows as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read_lines(path: Path) -> list[Any]:
    """Reads JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@contextmanager
def cpu_seconds() -> Iterator[Callable[[], float]]:
    """The CPU seconds of the processes that ended since."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    start = spent()
    yield lambda: spent() - start


def our_run(cases: Sequence[Case], databases: Path, folder: Path) -> tuple[list[Judged], dict[str, set[str]]]:
    """`eval run`: its verdicts, and the doubts about the gold SQL of each case."""
    labels = {"schema": "", "complexity": "", "category": ""}
    benchmark = [
        {"case_id": each["id"], "question": each["question"], "gold_sql": each["gold_sql"], **labels}
        | {"metadata": {"db_id": each["db_id"]}}
        for each in cases
    ]
    asked = lines(folder / "benchmark.jsonl", benchmark)
    answers = lines(folder / "answers.jsonl", [{"case_id": each["id"], "sql": each["sql"]} for each in cases])
    options = ["--benchmark", asked, "--backend", "recorded", "--predictions", answers, "--databases", databases]
    with cpu_seconds() as spent:
        _sqlassay("eval", "run", *options, "--out", folder / "run")
        seconds, records = spent(), read_lines(folder / "run" / "cases.jsonl")
    right = {each["case_id"]: each["equivalence"] == "equivalent" for each in records}
    passed = {each["case_id"]: each["pass"] for each in records}
    doubts = {each["case_id"]: {doubt["code"] for doubt in each["gold_doubts"] or ()} for each in records}
    judged = [(OURS, right), (f"{OURS}, `pass`", passed)]
    return [Judged(name=name, version="here", right=found, cpu_seconds=seconds) for name, found in judged], doubts


def our_comparison(cases: Sequence[Case], databases: Path, folder: Path) -> list[Judged]:
    """`compare`."""
    rows = [{**each, "reference_sql": each["gold_sql"]} for each in cases]
    with cpu_seconds() as spent:
        _sqlassay("compare", lines(folder / "pairs.jsonl", rows), "--databases", databases, "--out", folder / "c.jsonl")
        right = {each["id"]: each["match"] == "exact" for each in read_lines(folder / "c.jsonl")}
        return [Judged(name="`sqlassay compare`", version="here", right=right, cpu_seconds=spent())]


def our_search(cases: Sequence[Case], databases: Path, folder: Path) -> list[Judged]:
    """`verify`, which gets the declared tables of each database and no row."""
    ddl = {each["db_id"]: _ddl(databases / f"{each['db_id']}.sqlite") for each in cases}
    rows = [
        {"id": each["id"], "sql_a": each["gold_sql"], "sql_b": each["sql"], "schema": ddl[each["db_id"]]}
        | {"semantics": "list" if "order by" in each["gold_sql"].lower() else "bag"}
        for each in cases
    ]
    with cpu_seconds() as spent:
        _sqlassay("verify", lines(folder / "queries.jsonl", rows), "--bound", "2", "--out", folder / "v.jsonl")
        seconds, verdicts = spent(), read_lines(folder / "v.jsonl")
    same = {"equivalent_up_to_bound", "not_refuted"}
    right = {each["id"]: each["verdict"] in same for each in verdicts}
    lenient = {each["id"]: right[each["id"]] or each["level"] not in {None, "S0"} for each in verdicts}
    judged = [("`sqlassay verify`, no difference", right), ("`sqlassay verify`, none at S0", lenient)]
    return [Judged(name=name, version="here", right=found, cpu_seconds=seconds) for name, found in judged]


def _ddl(database: Path) -> str:
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as opened:
        found = opened.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        return ";\n".join(sql for (sql,) in found)


def _sqlassay(*arguments: object) -> None:
    subprocess.run([PROGRAMS / "sqlassay", *map(str, arguments)], check=True, capture_output=True)


def peer(name: str, cases: Sequence[Case], databases: Path) -> Judged:
    """One method of a peer that is read by its functions."""
    package, method = PEER_METHODS[name]
    try:
        python = binaries(package) / "python"
    except PeerMissingError as error:
        return Judged(name=name, version=version(package), right={}, failed=str(error))
    text = "".join(json.dumps(case) + "\n" for case in cases)
    with cpu_seconds() as spent:
        command = [python, READER, method, databases]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        seconds = spent()
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return Judged(name=name, version=version(package), right={}, failed=f"does not run: {said[:120]}")
    found = {each["id"]: each["right"] for each in map(json.loads, done.stdout.splitlines())}
    return Judged(name=name, version=version(package), right=found, cpu_seconds=seconds)


def audited(printed: str) -> dict[int, tuple[bool, set[str]]]:
    """What attestql printed: by the number of the question, whether the answer is equal, and the smells of the gold.

    >>> audited("q3    looms R-ORD  NOT_EQUAL  smells=arbitrary-cut  out/q3/")
    {3: (False, {'arbitrary-cut'})}
    """
    return {
        int(number): (verdict == "EQUAL", set(smells.split(",")) - {"none"})
        for number, verdict, smells in _AUDITED.findall(printed)
    }


def attestql(cases: Sequence[Case], databases: Path, folder: Path) -> tuple[Judged, dict[str, set[str]]]:
    """The verdicts of `attestql audit`, and the smells that it finds in gold SQL."""
    name, released = "attestql, typed replay", version("attestql")
    try:
        program = binaries("attestql") / "attestql"
    except PeerMissingError as error:
        return Judged(name=name, version=released, right={}, failed=str(error)), {}
    by_database: defaultdict[str, dict[int, Case]] = defaultdict(dict)
    for number, case in enumerate(cases):
        by_database[case["db_id"]][number] = case
    right: dict[str, bool] = {}
    smells: dict[str, set[str]] = {}
    with cpu_seconds() as spent:
        for db_id, held in by_database.items():
            printed = _audit(program, databases / f"{db_id}.sqlite", held, folder / f"audit-{db_id}")
            for number, (equal, found) in audited(printed).items():
                right[held[number]["id"]], smells[held[number]["id"]] = equal, found
        return Judged(name=name, version=released, right=right, cpu_seconds=spent()), smells


def _audit(program: Path, database: Path, cases: dict[int, Case], folder: Path) -> str:
    folder.mkdir()
    questions = [
        {"question_id": number, "db_id": case["db_id"], "question": case["question"], "SQL": case["gold_sql"]}
        for number, case in cases.items()
    ]
    (folder / "questions.json").write_text(json.dumps(questions))
    (folder / "answers.json").write_text(json.dumps({str(number): case["sql"] for number, case in cases.items()}))
    options = ["--dsn", database, "--questions", folder / "questions.json", "--predictions", folder / "answers.json"]
    command = [program, "audit", "--engine", "sqlite", *options, "--out", folder / "out"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


Found: TypeAlias = tuple[list[Judged], Mapping[str, set[str]]]
"""Verdicts, and the smells or doubts of each case where the method has some."""


def measure(method: str, cases: Sequence[Case], databases: Path, folder: Path) -> Found:
    """Judges every case with one of `METHODS`."""
    if method == "eval run":
        return our_run(cases, databases, folder)
    if method == "compare":
        return our_comparison(cases, databases, folder), {}
    if method == "verify":
        return our_search(cases, databases, folder), {}
    if method == "attestql":
        judged, smells = attestql(cases, databases, folder)
        return [judged], smells
    return [peer(method, cases, databases)], {}


METHODS = ("eval run", "compare", "verify", "attestql", *PEER_METHODS)
