"""Documented = declared, both ways: commands, options, settings, metrics, routes, reasons, outcomes, targets, links."""

import io
import re
import shlex
import tomllib
from dataclasses import fields
from enum import StrEnum
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from consumers.evaluation.outcomes import DeferredReason, OutcomeKind
from consumers.wire.events import InvalidReason
from consumers.wire.rules_document import RulesDocument
from evals.runner.answers import Equivalence, EquivalenceFinding
from scoring.query import Query, UnscoredReason
from scoring.reason_kinds import IN_FAVOUR
from scoring.reasons import ReasonCode
from scoring.record import MODEL_FIELDS, SCORED_FIELDS
from scoring.rules import JudgePolicy, Rules, Tier, UnparseablePolicy
from scoring.signals import SIGNALS
from scoring.verdict import EnrichmentStatus, FilterStatus, NormalizationRule, Score, Verdict
from service.api.events import EventStatus
from service.commands.gold.reference_finding import reference_record
from service.commands.one_answer.answer_scorer import NAME_FIELDS
from service.commands.rendering.answer import explanation
from service.commands.score_lines import LocalScorer
from service.commands.score_references import REFERENCE_FIELD
from service.judges.weights import local_judge
from service.metrics import Metrics
from service.serving import create_app
from service.settings import Settings
from service.settings.loading import setting_paths
from service.settings.observability_settings import MetricSettings
from service.settings.variables import variable_name
from service.storage.scores.estimated_reports import EstimatedRow
from tests import tour
from tests.command_usage import command_parameters, commands_page

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def sections(text: str, level: str = "##") -> dict[str, str]:
    """Splits a page by headings of one level."""
    parts = re.split(rf"^{level} (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def first_cells(text: str) -> list[str]:
    """Returns the first cell of each table row, and the head of each item of a list, that starts with a backtick."""
    return re.findall(r"^\| *(`.+?) *\|", text, flags=re.MULTILINE) + re.findall(
        r"^- (`[^`]+`[^:`]*):", text, flags=re.MULTILINE
    )


def names(text: str) -> set[str]:
    """Returns the names in backticks in the first cells, each up to its first space."""
    return {name.split()[0] for cell in first_cells(text) for name in re.findall(r"`([^`]+)`", cell)}


def table(text: str, head: str) -> str:
    """Returns the table whose first head cell is `head`."""
    match = re.search(rf"^\| {re.escape(head)} \|.*\n(?:\|.*\n?)+", text, flags=re.MULTILINE)
    assert match, f"no table of {head}"
    return match.group()


def values(enum: type[StrEnum]) -> set[str]:
    return {member.value for member in enum}


def test_every_reason_code_is_documented_and_no_other() -> None:
    section = sections(page("reasons.md"))["Reason codes: why an answer is believed right or wrong"]
    assert names(section) == values(ReasonCode)


def test_the_method_counts_the_signals() -> None:
    assert f"The local judge evaluates {len(SIGNALS)} signals." in page("method.md")


def test_the_codes_that_speak_for_an_answer_are_marked() -> None:
    section = sections(page("reasons.md"))["Reason codes: why an answer is believed right or wrong"]
    marked = {name for cell in first_cells(section) if "(+)" in cell for name in re.findall(r"`(.+?)`", cell)}
    assert marked == {code.value for code in IN_FAVOUR}


@pytest.mark.parametrize(
    ("head", "enum"),
    [
        ("reason | what happened", UnscoredReason),
        ("reason | what is wrong", InvalidReason),
        ("outcome", OutcomeKind),
        ("deferred reason", DeferredReason),
    ],
)
def test_every_reason_and_outcome_is_documented_and_no_other(head: str, enum: type[StrEnum]) -> None:
    text = page("reasons.md")
    found = re.search(rf"^\| {re.escape(head)} \|.*\n(?:\|.*\n?)+", text, flags=re.MULTILINE)
    assert found
    assert names(found.group()) == values(enum)


@pytest.mark.parametrize(
    ("field", "enum"),
    [
        ("`verdict`", Verdict),
        ("`filter_status`", FilterStatus),
        ("`tier`", Tier),
        ("`enrichment.status`", EnrichmentStatus),
        ("`normalizations[].rule`", NormalizationRule),
        ("rules: `judge.policy`", JudgePolicy),
        ("rules: `unparseable`", UnparseablePolicy),
    ],
)
def test_every_closed_list_has_exactly_its_values(field: str, enum: type[StrEnum]) -> None:
    row = re.search(rf"^\| {re.escape(field)} \| (.+) \|$", page("reasons.md"), flags=re.MULTILINE)
    assert row
    assert set(re.findall(r"`([^`]+)`", row.group(1))) == values(enum)


def test_every_field_of_a_line_out_is_documented() -> None:
    documented = names(table(sections(page("commands.md"))["`sqlassay score`"], "field"))
    last = {REFERENCE_FIELD, "unscored", "evaluator_version", "rules_version"}
    assert documented == {*NAME_FIELDS, *SCORED_FIELDS, *MODEL_FIELDS, *last}


def test_every_field_of_a_reference_is_documented() -> None:
    documented = names(table(sections(page("gold-judges.md"))["Beside a score"], "field of `reference`"))
    finding = EquivalenceFinding(equivalence=Equivalence.SKIPPED, rationale="")
    assert documented == set(reference_record(finding))


def test_every_key_of_the_rules_is_documented_and_no_other() -> None:
    section = sections(page("method.md"))["Stage 5: the tenant's rules"]
    assert names(table(section, "key")) == set(RulesDocument.model_fields)


def test_every_setting_is_documented_and_no_other() -> None:
    assert names(page("settings.md")) == {variable_name(*path) for path, _ in setting_paths()}


def test_every_command_is_documented_with_its_usage_and_no_other() -> None:
    text = page("commands.md")
    headings = [heading.strip("`") for heading in sections(text) if heading.startswith("`sqlassay")]
    assert sorted(headings) == sorted(command_parameters())
    assert text == commands_page(text), "run make contracts"


def test_every_option_says_what_it_does() -> None:
    silent = [
        (name, each.name) for name, parameters in command_parameters().items() for each in parameters if not each.help
    ]
    assert silent == []


def test_make_help_lists_every_target_and_contributing_names_no_other() -> None:
    declared = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)) - {"help"}
    assert set(re.findall(r"`make ([a-z-]+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))) <= declared | {
        "help"
    }
    assert set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)) == declared | {
        "help"
    }


RECORDS = sorted((DOCS / "adr").glob("0*.md"))


def test_no_page_holds_both_sides_of_a_merge() -> None:
    marks = re.compile(r"^(?:<<<<<<<|>>>>>>>) ", re.MULTILINE)
    assert not [str(page) for page in PAGES if marks.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_decision_has_the_form_of_the_template(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").strip().splitlines()
    number = path.stem[:4]
    assert re.fullmatch(rf"# {number}: .+", lines[0])
    assert number == "0000" or lines[2].startswith(("**Context.**", "Status: proposed"))
    assert any(line.startswith("**Context.**") for line in lines)
    assert any(line.startswith("**Decision.**") for line in lines)
    assert lines[-1].startswith("**Reopen if**") or lines[-2].startswith("**Reopen if**")
    assert len([line for line in lines if line]) <= 15


def test_a_decision_has_a_number_of_its_own() -> None:
    numbers = [path.stem[:4] for path in RECORDS]
    assert sorted(set(numbers)) == numbers


def anchors(path: Path) -> set[str]:
    """Returns the anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name) if name else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_file_a_page_names_exists(path: Path) -> None:
    roots = (
        "scoring|references|learning|consumers|evals|service|migrations|tests|docs|grafana|deploy|examples|benchmarks"
        "|sqlassay"
    )
    text = path.read_text(encoding="utf-8")
    created = set(re.findall(r"Create `(.+?)`:", text))
    for name in re.findall(rf"`((?:{roots})/[\w./*-]+)`", text):
        assert name in created or list(ROOT.glob(name.rstrip("/"))), name


def test_every_metric_is_documented_with_its_type_and_no_other() -> None:
    suffixes = {"counter": "_total", "info": "_info"}
    metrics = Metrics(MetricSettings(), judge="local")
    declared = {(name + suffixes.get(kind, ""), kind) for name, kind, _ in metrics.declared()}
    rows = re.findall(r"^- `(sqlassay_\w+)` \((\w+)", page("metrics.md"), flags=re.MULTILINE)
    assert set(rows) == declared


def test_every_metric_is_documented_with_its_labels() -> None:
    metrics = Metrics(MetricSettings(), judge="local")
    rows = re.findall(
        r"^- `(sqlassay_\w+?)(?:_total|_info)?` \(\w+(?:: (.+?))?\): ", page("metrics.md"), flags=re.MULTILINE
    )
    assert {name: tuple(labels.split(", ") if labels else ()) for name, labels in rows} == {
        name: metrics.labels(name) for name, _, _ in metrics.declared()
    }


def test_every_metric_a_query_names_is_declared() -> None:
    declared = set(re.findall(r"^- `(sqlassay_\w+)`", page("metrics.md"), flags=re.MULTILINE))
    used = set(re.findall(r"sqlassay_[a-z_]+", sections(page("metrics.md"))["Queries worth keeping"]))
    assert {re.sub(r"_(sum|count|bucket)$", "", name) for name in used} <= declared


def routes() -> set[str]:
    documented = create_app(Settings()).openapi()["paths"]
    return {f"{method.upper()} {path}" for path, methods in documented.items() for method in methods}


def test_every_route_is_documented_and_no_other() -> None:
    section = sections(page("api.md"))["Routes"]
    assert {cell.strip("`") for cell in first_cells(section)} == routes()


@pytest.mark.parametrize(("heading", "path"), [("List evaluations", "/v1/evaluations"), ("Report", "/v1/report")])
def test_every_parameter_of_a_list_is_documented(heading: str, path: str) -> None:
    declared = {each["name"] for each in create_app(Settings()).openapi()["paths"][path]["get"]["parameters"]}
    assert declared <= set(re.findall(r"`(\w+)`", sections(page("api.md"))[heading]))


def test_every_event_status_is_documented_and_no_other() -> None:
    assert names(table(sections(page("api.md"))["Publish answers"], "event status")) == values(EventStatus)


def test_every_field_of_the_report_is_documented_and_no_other() -> None:
    section = sections(page("api.md"))["Report"]
    assert names(table(section, "field")) == {each.name for each in fields(EstimatedRow)}


def test_the_answer_that_the_readme_explains_is_explained_so() -> None:
    command = tour.block("One answer, explained")[:3]
    words = shlex.split("\n".join(command))
    question, sql = words[words.index("-q") + 1], words[words.index("--sql") + 1]
    score = LocalScorer(Rules(), local_judge())(Query(question=question, sql=sql))
    assert isinstance(score, Score)
    out = io.StringIO()
    console = Console(file=out, width=110, force_terminal=False, color_system=None)
    console.print(explanation(score))
    parts = tour.sections(out.getvalue().splitlines())
    [aligned] = [part for part in parts if part[0].startswith("Alignment")]
    [reasons] = [part for part in parts if part[0].startswith("Reasons")]
    tour.check("One answer, explained", [*command, parts[0][0], "…", *aligned, "…", *reasons, "", *parts[-1]])


def commands_in(text: str) -> set[str]:
    return set(re.findall(r"\bmake ([a-z-]+)", text))


def test_ci_and_the_commit_hooks_run_what_the_repository_has() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    runs = [step["run"] for step in workflow["jobs"]["ci"]["steps"] if "run" in step]
    assert runs[-1] == ".ci/run"
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    assert commands_in(hooks) <= targets
    for repository in yaml.safe_load(hooks)["repos"]:
        assert repository["repo"] == "local", "hooks fetch nothing"


def test_the_licence_is_named_where_packagers_look() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "Apache-2.0"
    assert [(ROOT / name).exists() for name in project["license-files"]] == [True]
