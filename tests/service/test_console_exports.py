"""Files of the console's lists, and hostile text in them and on the pages."""

from __future__ import annotations

import csv
import io
import json
import re
from urllib.parse import urlencode

import pytest

from service.console.answer_files.answer_lines import COLUMNS
from service.console.answer_files.plain_sentence import plain_sentence
from service.csv_tables import CsvTable, cell, plain
from tests.service.console_lists import LIST, event, links, read
from tests.service.own_scripts import foreign_scripts

pytestmark = pytest.mark.slow


async def test_a_file_has_all_that_the_pages_show(client):
    await client.post("/v1/events", json=[event(n) for n in range(7)])
    shown = await read(client, LIST, limit=3, agent="Crumb", order="worst")
    (as_csv,), (as_jsonl,) = links(shown, "CSV"), links(shown, "JSONL")
    rows = list(csv.DictReader(io.StringIO(await read(client, as_csv))))
    lines = [json.loads(line) for line in (await read(client, as_jsonl)).splitlines()]
    assert len(rows) == len(lines) == 7
    assert [row["id"] for row in rows] == [line["id"] for line in lines]
    assert list(rows[0]) == list(lines[0]) == COLUMNS
    assert rows[0]["question"] == lines[0]["question"]


async def test_a_file_ends_after_the_most_that_one_may_have(client, monkeypatch):
    monkeypatch.setattr("service.console.exports.MOST_EXPORTED", 500)
    await client.post("/v1/events", json=[event(n) for n in range(520)])
    assert len((await read(client, f"{LIST}.jsonl")).splitlines()) == 500


FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "\ufeff=1",
    "＝1",
    "\u00a0+1",
    "\ufe66\uff1d1",
]
HIDING = [
    "\u3000",
    "\u00ad",
    "\u2028",
    "\u2029",
    "\u200b",
    "\u202e",
    "\u2060",
    "\u180e",
    "\u034f",
    "\ufe0f",
    "\u3164",
    "\u2800",
    "\x85",
    "\x1f",
    "\ue000",
    "\U000e0041",
    " \u3000\u00ad",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_in_a_file_is_text(formula):
    marked = "'" + re.sub("(?<=[\t\r\n])", "'", formula)
    assert cell(formula) == marked
    assert cell([formula]) == marked


@pytest.mark.parametrize(
    "text", [*FORMULAS, "'=1", "''+1", "'90s", "a=1", "", "'", "''", "a;'=1;=1", "a\n-- b", " '=1"]
)
def test_a_text_is_read_back_from_its_cell(text):
    assert plain(cell(text)) == text


@pytest.mark.parametrize("hidden", HIDING)
def test_a_formula_behind_what_is_not_seen_is_text(hidden):
    for begins in "=+-@＝﹢":
        assert cell(f"{hidden}{begins}1") == f"'{hidden}{begins}1"
    assert cell(f"{hidden}a=1") == f"{hidden}a=1"


@pytest.mark.parametrize("separator", ",\t")
@pytest.mark.parametrize("reader", ",;\t")
@pytest.mark.parametrize("split", [";", "\t", "\n", "\r", "\r\n", ";;", "; ", ';"', '; "', ";'", ";\u3000", "\n\t"])
def test_a_spreadsheet_that_splits_cells_elsewhere_finds_no_formula_behind_the_split(split, reader, separator):
    texts = [f"a{split}{begins}1+1;b{split}x" for begins in "=+-@"]
    file = io.StringIO(newline="")
    CsvTable(file, separator=separator).write([1, *texts, 2], [*texts, "a"])
    # as a spreadsheet does, this reader takes a quote for one only where a cell begins
    rows = csv.reader(re.split("[\r\n]+", file.getvalue()), delimiter=reader)
    assert [value for row in rows for value in row if re.match(r"[\s\"]*[=+@-]", value)] == []
    assert [plain(cell(text)) for text in texts] == texts


async def test_text_of_agents_is_no_formula_in_a_spreadsheet(client):
    evil = '=HYPERLINK("http://evil.example","x")'
    await client.post(
        "/v1/events", json=event(1, question=f"{evil} How many ovens has town 1?", agent="+cmd", sql="-1")
    )
    reply = await client.get(f"{LIST}.csv")
    assert reply.headers["content-disposition"] == 'attachment; filename="answers.csv"'
    assert reply.headers["x-content-type-options"] == "nosniff"
    (row,) = csv.DictReader(io.StringIO(reply.text))
    assert row["question"].startswith("'=HYPERLINK")
    assert (row["agent"], row["sql"]) == ("'+cmd", "'-1")
    assert not [value for value in row.values() if re.match(r"[=+@\t\r]|-\D", value)]


HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>{{ 7 * 7 }}\"'&"


async def test_hostile_text_in_every_field_is_shown_and_never_run(client):
    short = '"><script>x</script>'
    hostile = event(
        1,
        event_id=short,
        agent=short,
        agent_version=short,
        source="/" + short,
        question=HOSTILE,
        enriched_question=HOSTILE,
        sql=f'SELECT "{HOSTILE.replace(chr(34), "")}" AS "{short.replace(chr(34), "")}" FROM ovens WHERE a = \'<b>\'',
        attributes={short: HOSTILE},
        reference_sql="SELECT '<script>'",
    )
    reply = (await client.post("/v1/events", json=hostile)).json()["results"][0]
    assert reply["status"] == "scored", reply
    label = {
        "evaluation_id": reply["evaluation_id"],
        "label": "wrong",
        "reviewer": short,
        "note": HOSTILE,
        "correction": HOSTILE,
    }
    assert (await client.post("/v1/labels", json=label)).status_code == 200
    paths = [
        "/console",
        "/console?by=agent_version&every=day",
        LIST,
        f"{LIST}?order=worst",
        f"{LIST}/{reply['evaluation_id']}",
    ]
    reflected = urlencode(
        {"search": HOSTILE, "agent": short, "tenant": "bakers", "judge": short, "agent_version": short}
    )
    paths += [f"{LIST}?{reflected}", f"{LIST}/{reply['evaluation_id']}?{reflected}"]
    paths += [
        f"/console?{urlencode({'agent': short.upper(), 'agent_version': short})}",
        f"{LIST}?{urlencode({short: short})}",
    ]
    for path in paths:
        shown = (await client.get(path)).text
        assert not foreign_scripts(shown.lower()), path
        assert "<img" not in shown, path
        assert "&lt;script" in shown.lower() or "script" in path, path


async def labelled(client) -> str:
    """An answer without its period, with two labels and feedback; its id."""
    asked = {
        "question": "How many loaves were sold in May 2026?",
        "sql": "SELECT COUNT(*), town FROM loaves GROUP BY town",
    }
    [sent] = (await client.post("/v1/events", json=event(1, **asked))).json()["results"]
    labels = [
        {"reviewer": "ann", "label": "wrong", "error_type": "time", "note": "no period", "correction": "SELECT 1"},
        {"reviewer": "ben", "label": "wrong", "note": "=2"},
    ]
    about = {"evaluation_id": sent["evaluation_id"]}
    assert (await client.post("/v1/labels", json=[each | about for each in labels])).json()["kept"] == 2
    heard = {"event_id": "1", "agent": "crumb", "tenant": "bakers", "thumb": "down"}
    assert (await client.post("/v1/feedback", json=heard)).json()["kept"] == 1
    return sent["evaluation_id"]


async def test_a_file_says_what_is_wrong_and_what_people_say(client):
    id_ = await labelled(client)
    for row in (
        json.loads(await read(client, f"{LIST}.jsonl")),
        next(csv.DictReader(io.StringIO(await read(client, f"{LIST}.csv")))),
    ):
        assert row["sentence"].startswith("2 of 2 reviewers say wrong. ")
        assert "FILTER_MISSING: missing: May 2026" in row["faults"].split("\n")
        assert "OUTPUT_WIDER" not in row["faults"]
        assert "OUTPUT_WIDER" in row["reason_codes"]
        assert (row["label"], row["error_type"], row["corrected_sql"]) == ("wrong", "time", "SELECT 1")
        assert sorted(plain(row["comment"]).split("\n")) == ["=2", "no period"]
        assert (int(row["users_satisfied"]), int(row["users_dissatisfied"])) == (0, 1)
        assert row["link"] == f"http://localhost{LIST}/{id_}"
    assert (await client.get(row["link"])).status_code == 200


async def test_a_parquet_file_has_the_same_answers(client):
    parquet = pytest.importorskip("pyarrow.parquet")
    await labelled(client)
    await client.post("/v1/events", json=[event(n) for n in range(2, 6)] + [event(9, sql="SELEC")])
    reply = await client.get(f"{LIST}.parquet?order=newest")
    assert reply.headers["content-disposition"] == 'attachment; filename="answers.parquet"'
    rows = parquet.read_table(io.BytesIO(reply.content)).to_pylist()
    lines = [json.loads(line) for line in (await read(client, f"{LIST}.jsonl", order="newest")).splitlines()]
    assert len(rows) == len(lines) == 6
    for row, line in zip(rows, lines, strict=True):
        assert row | {"occurred_at": None} == line | {"occurred_at": None}
        assert row["occurred_at"].isoformat() == line["occurred_at"].replace("Z", "+00:00")


async def test_the_page_of_an_answer_says_it_plainly_and_folds_what_is_only_form(client):
    shown = await read(client, f"{LIST}/{await labelled(client)}")
    assert '<p id="sentence">2 of 2 reviewers say wrong. ' in shown
    before, _, folded = shown.partition('<details id="forms">')
    assert "OUTPUT_WIDER" in folded.partition("</details>")[0]
    assert "FILTER_MISSING" in before


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"verdict": "Correct"}, "No fault was found."),
        ({"labels": [{"label": "right"}], "faults": ["LIMIT_WRONG"]}, "A reviewer says right."),
        ({"unscored": "JUDGE_UNAVAILABLE"}, "The judge did not answer within its deadline."),
        (
            {"verdict": "Incorrect", "faults": ["LIMIT_WRONG"]},
            "The SQL returns another number of rows than asked for: top 5 → LIMIT 10.",
        ),
        (
            {"verdict": "Incorrect", "faults": ["LIMIT_WRONG", "A_CODE_OF_LATER", "ORDER_FLIPPED"]},
            "The SQL returns another number of rows than asked for: top 5 → LIMIT 10. There are 2 more faults.",
        ),
        (
            {"reference_verdict": "different", "reference_level": "S0"},
            "Proved different from its reference.",
        ),
    ],
)
def test_a_sentence_says_what_is_surest(row, said):
    faults = [
        {"code": each, "kind": "fault", "detail": "expected → actual: top 5 → LIMIT 10"}
        for each in row.pop("faults", ())
    ]
    forms = [{"code": "OUTPUT_WIDER", "kind": "form", "detail": "x"}]
    blank = {"reference_verdict": None, "reference_level": None, "labels": [], "unscored": None, "verdict": None}
    assert plain_sentence(blank | row, [*faults, *forms]) == said
