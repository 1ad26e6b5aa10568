"""The gate of `sqlassay eval run`: thresholds, comparison with another run, and the JUnit report."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from evals.runner.gate import GateFinding, check_compared, check_regression, check_thresholds, read_thresholds
from evals.runner.paired_runs import pair_runs, same_questions
from service.commands.eval.runner.run_options import EvalRunOptions
from service.commands.eval.runner.stored_runs import read_run
from service.commands.exits import Exit, refuse

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def check_gate_options(options: EvalRunOptions) -> None:
    """Ends the command when a threshold cannot be read, or the run to compare with is missing."""
    try:
        read_thresholds(options.fail_under or ())
    except ValueError as error:
        refuse(f"--fail-under: {error}")
    if options.fail_on_regression is not None:
        if Path(options.fail_on_regression).resolve() == Path(options.out).resolve():
            refuse("--fail-on-regression names this run itself: name the folder of another")
        read_run(options.fail_on_regression)


def gate(options: EvalRunOptions, summary: Mapping[str, object], records: Sequence[Mapping[str, Any]]) -> None:
    """Checks the conditions, writes the JUnit report, and ends the command with `NO` when one fails."""
    findings = check_thresholds(summary, read_thresholds(options.fail_under or ()))
    if options.fail_on_regression is not None:
        findings.append(_regression(options.fail_on_regression, records))
    most = options.allow_not_compared
    compared = check_compared(summary, most or 0) if findings or most is not None else None
    if compared is not None:
        findings.append(compared)
    if options.junit is not None:
        write_junit(Path(options.junit), findings, records)
    for each in findings:
        print(f"{'passed' if each.passed else 'FAILED'}: {each.name}: {each.detail}", file=sys.stderr)
    if not all(each.passed for each in findings):
        raise SystemExit(int(Exit.NO))


def _regression(folder: str, records: Sequence[Mapping[str, Any]]) -> GateFinding:
    name, other = read_run(folder)
    changed = same_questions(other, records)
    if changed:
        refuse(f"--fail-on-regression {folder}: the question or gold SQL of {len(changed)} cases is another there")
    try:
        return check_regression(pair_runs(other, records), name)
    except ValueError as error:
        refuse(f"--fail-on-regression {folder}: {error}")


def write_junit(path: Path, findings: Sequence[GateFinding], records: Sequence[Mapping[str, Any]]) -> None:
    """Writes the gate and every answer as a JUnit report. Ends the command when it cannot be written.

    The gate's conditions fail the report. An answer that does not pass fails it only where there is no gate, and counts
    as skipped otherwise: the gate says how many may fail.
    """
    suites = ElementTree.Element("testsuites", name="sqlassay")
    _suite(suites, "gate", [(each.name, None if each.passed else each.detail, "failure") for each in findings])
    tag = "skipped" if findings else "failure"
    answers = [(_name(each), None if each["pass"] else str(each["rationale"]), tag) for each in records]
    _suite(suites, "answers", answers)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        ElementTree.ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        refuse(f"cannot write {path}: {error.strerror or error}")


def _suite(parent: ElementTree.Element, name: str, tests: Sequence[tuple[str, str | None, str]]) -> None:
    counts = Counter(tag for _, said, tag in tests if said is not None)
    suite = ElementTree.SubElement(
        parent,
        "testsuite",
        name=name,
        tests=str(len(tests)),
        failures=str(counts["failure"]),
        skipped=str(counts["skipped"]),
        errors="0",
    )
    for test, said, tag in tests:
        element = ElementTree.SubElement(suite, "testcase", classname=f"sqlassay.{name}", name=_text(test))
        if said is not None:
            ElementTree.SubElement(element, tag, message=_text(said))


def _name(record: Mapping[str, Any]) -> str:
    sample = f" (sample {record['sample']})" if record["sample"] > 1 else ""
    return f"{record['case_id']}{sample}"


def _text(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
