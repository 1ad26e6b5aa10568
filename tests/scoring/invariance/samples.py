"""The answers that are rewritten: invented ones with their tables, and those of the development sets without."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zlib import crc32

import yaml

from tests.development import labels_path

CASES = Path(__file__).parents[2] / "cases" / "invariance.yaml"
DEVELOPMENT = ("dev_agents", "dev_bugs", "dev_spider_ex")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """An answer to a question."""

    question: str
    sql: str
    enriched: str | None = None
    schema: str | None = None
    """DDL, where it is known."""


@lru_cache(maxsize=1)
def invented() -> tuple[Sample, ...]:
    """The answers of `tests/cases/invariance.yaml`."""
    document = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    return tuple(
        Sample(
            question=answer["question"],
            sql=answer["sql"],
            enriched=answer.get("enriched"),
            schema=domain["schema"],
        )
        for domain in document["domains"]
        for answer in domain["answers"]
    )


def development(share: int) -> Iterator[Sample]:
    """One answer in `share` of each development set that is there, each question once, always the same ones."""
    seen: set[str] = set()
    for name in DEVELOPMENT:
        path = labels_path(name)
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            row = json.loads(line)
            if row["question"] not in seen and crc32(str(row["id"]).encode()) % share == 0:
                seen.add(row["question"])
                yield Sample(question=row["question"], sql=row["sql"], enriched=row.get("enriched_question_proxy"))
