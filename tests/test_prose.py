"""Plain English: phrases that were replaced do not come back, in any file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SUFFIXES = {".py", ".md", ".yaml", ".yml", ".json", ".jsonl", ".toml", ".html", ".css", ".tpl", ".txt", ".mako", ""}
LEFT_OUT = {".git", ".venv", "__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis", ".import_linter_cache"}
# the bar keeps a phrase from matching this file
REPLACED = {
    "what is |dear is only done": "expensive checks run only when the cheap ones are inconclusive",
    "no more a |thousand times": "rate-limited to one log line per second",
    "asked ← |applied": "expected → actual",
    "LABOURED|_ANSWER": "OVERLY_COMPLEX",
    "buries |the dead": "publishes dead letters",
    "is told of, and is |a fault": "is logged and fails the health check",
    "what is held of them is |another's": "called after revocation; drops the state of those partitions",
    "that is taken |hereby": "reserves a call; returns the seconds to wait",
    "a reply that was |not had": "the tenant's configured fallback",
    "whose answer was lost, is |its own": "retrying after a lost commit acknowledgement is idempotent",
    "a URL that is |none": "an invalid URL",
    "who shows |which token": "authenticates the caller",
    "its steepness |is told": "the slope is calibrated",
    "told from |even odds": "calibrated to a 50 % prior",
    "nothing is |twice": "no duplicate rows",
    "records are |no events": "dead-letter rate too high",
    "kafka_left_in_|a_hurry": "kafka_shutdown_timeout",
    "def |told(": "record_export",
}
"""Each phrase, with what to write in its place."""
PATTERNS = {
    phrase: re.compile(re.escape(phrase.replace("|", "")).replace(r"\ ", r"[\s#*]+"), re.IGNORECASE)
    for phrase in REPLACED
}


def texts() -> dict[str, str]:
    files = (path for path in ROOT.rglob("*") if path.suffix in SUFFIXES and not LEFT_OUT & set(path.parts))
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in files
        if path.is_file()
    }


@pytest.fixture(scope="module")
def tree() -> dict[str, str]:
    return texts()


@pytest.mark.parametrize("phrase", REPLACED)
def test_a_replaced_phrase_does_not_come_back(phrase: str, tree: dict[str, str]) -> None:
    found = [name for name, text in tree.items() if PATTERNS[phrase].search(text)]
    assert found == [], f"write: {REPLACED[phrase]}"


def test_a_phrase_is_found_across_lines() -> None:
    assert PATTERNS["nothing is |twice"].search("# Nothing\n    # is twice.")
