"""What `make peers` writes, and our own rows of it on an invented database. No peer is installed here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.evals.runner.weaving import GOLDS, Mill
from tests.peers.figures import END, HEAD, OURS, PAGE, SMELLS_HEAD, START, Judged, agreement_table, smells_table, write
from tests.peers.methods import PEER_METHODS, attestql, audited, measure, peer
from tests.peers.reader import METHODS, verdict

LABELS = {"a": True, "b": True, "c": False, "d": False}


def test_a_row_counts_agreement_and_both_kinds_of_errors() -> None:
    first = Judged(name=OURS, version="here", right={"a": True, "b": False, "c": False, "d": False}, cpu_seconds=0.4)
    other = Judged(name="other", version="1", right={"a": True, "b": True, "c": True}, cpu_seconds=0.2)
    lost = Judged(name="lost", version="2", right={}, failed="not installed: no network")
    rows = agreement_table([first, other, lost], LABELS).splitlines()
    assert rows[0] == HEAD
    assert rows[2] == f"| {OURS} | here | 1 | 75.0 % | 0 | 1 | – | 100 |"
    # a case without a verdict agrees with no label
    assert rows[3] == "| other | 1 | 3 | 50.0 % | 1 | 0 | 1 | 50 |"
    assert rows[4] == "| lost | 2 | not installed: no network |  |  |  |  |  |"
    assert {row.count("|") for row in rows} == {HEAD.count("|")}


def test_smells_are_counted_by_case_on_both_sides() -> None:
    theirs = {"a": {"arbitrary-cut"}, "b": {"arbitrary-cut", "duplicate-full-row"}, "c": set[str]()}
    here = {"a": {"limit_cuts_tie", "row_order"}, "b": set[str](), "c": {"empty"}}
    table = smells_table(theirs, here)
    cuts = "| arbitrary-cut | `limit_cuts_tie`, `limit_without_order`, `null_sorts_first` | 2 | 1 | 1 |"
    assert cuts in table
    assert "| duplicate-full-row | `repeated_rows` | 1 | 0 | 0 |" in table
    assert "| – | `empty` | – | 1 | – |" in table


def test_only_what_stands_between_the_marks_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"above\n{START}\nold\n{END}\nbelow\n")
    write("new", page)
    assert page.read_text() == f"above\n{START}\n\nnew\n\n{END}\nbelow\n"
    page.write_text("no marks")
    with pytest.raises(ValueError, match="lacks the marks"):
        write("new", page)


def test_the_page_holds_tables_of_the_form_that_the_command_writes() -> None:
    text = PAGE.read_text(encoding="utf-8")
    written = text.partition(START)[2].partition(END)[0]
    assert HEAD in written
    assert SMELLS_HEAD in written
    for name in [OURS, *PEER_METHODS, "attestql, typed replay"]:
        (row,) = re.findall(rf"^\| {re.escape(name)} \|.*$", written, flags=re.MULTILINE)
        assert row.count("|") == HEAD.count("|")
    assert re.search(r"^`make peers[^`]*`, \d{4}-\d\d-\d\d", written, flags=re.MULTILINE)


@pytest.mark.slow
def test_our_rows_come_from_the_commands_themselves(tmp_path: Path) -> None:
    mill = Mill(tmp_path)
    answers = {"count": "SELECT COUNT(id) FROM looms", "names": "SELECT name FROM looms", "widest": "SELEC"}
    cases = [
        {"id": name, "db_id": "weaving", "question": GOLDS[name][0], "gold_sql": GOLDS[name][1], "sql": sql}
        for name, sql in answers.items()
    ]
    cases[1]["gold_sql"] = "SELECT name FROM looms LIMIT 1"
    found = [measure(each, cases, mill.databases, tmp_path) for each in ("eval run", "compare", "verify")]
    judged = [each for verdicts, _ in found for each in verdicts]
    assert judged[0].name == OURS
    for each in judged:
        # which rows a LIMIT without ORDER BY keeps is no difference at S0
        assert each.right == {"count": True, "names": "S0" in each.name, "widest": False}, each.name
        assert each.cpu_seconds > 0
    assert found[0][1] == {"count": set(), "names": {"limit_without_order", "row_order"}, "widest": set()}


def test_each_method_of_a_peer_is_one_that_the_reader_has() -> None:
    assert {method for _, method in PEER_METHODS.values()} == set(METHODS)


def test_a_peer_that_raises_calls_the_answer_wrong_and_says_with_what(tmp_path: Path) -> None:
    def judge(case: dict[str, str], database: Path) -> bool:
        if database.name != "weaving.sqlite":
            raise FileNotFoundError
        return case["sql"] == case["gold_sql"]

    case = {"id": "1", "db_id": "weaving", "sql": "SELECT 1", "gold_sql": "SELECT 1"}
    assert verdict(judge, case, tmp_path) == {"id": "1", "right": True, "note": ""}
    lost = verdict(judge, {**case, "db_id": "mills"}, tmp_path)
    assert lost == {"id": "1", "right": False, "note": "FileNotFoundError"}


def test_the_lines_of_an_audit_are_read_and_others_are_not() -> None:
    printed = (
        "q0    looms R-SET  EQUAL      smells=none  out/q0/\n"
        "q12   looms R-ORD  NOT_EQUAL  smells=arbitrary-cut,duplicate-full-row  out/q12/\n"
        "q3    looms  ERROR no such table\n2 questions: 1 NOT_EQUAL, 2 smells fired\n"
    )
    assert audited(printed) == {0: (True, set()), 12: (False, {"arbitrary-cut", "duplicate-full-row"})}


def test_a_peer_that_cannot_be_installed_has_a_row_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    monkeypatch.setattr("tests.peers.environments.CACHE", tmp_path / "cache")
    found = [peer("sqlas, values and number of rows", [], tmp_path), attestql([], tmp_path, tmp_path)[0]]
    assert [(each.right, each.failed[:14]) for each in found] == [({}, "not installed:")] * 2
    assert "not installed:" in agreement_table(found, LABELS)
