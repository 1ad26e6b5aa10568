"""Reads labelled pairs of SQL without a question, from which rules are learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from consumers.judging.comparing.gold_case import GoldCase, GoldEvidence
from consumers.judging.comparing.shown_tables import shown_tables
from consumers.wire.events import MAX_EVENT_BYTES
from consumers.wire.learned_rules_document import group_digest
from consumers.wire.schema_document import InvalidSchema, decode_schema
from learning.rules.examples import LabelledExample
from service.commands.background_file import Backgrounds
from service.commands.exits import refuse
from service.commands.jsonl import STANDARD, open_input, read_lines
from service.commands.pair_lines import PairId, parse_line

GROUP = "sql_a"
"""The field that keeps pairs together where `--group` names none."""


class LabelledPairLine(BaseModel):
    """A line of `learn rules --pairs`. Other keys may be named by `--group` and `--cluster-by`."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: PairId | None = None
    sql_a: str = Field(min_length=1)
    sql_b: str = Field(min_length=1)
    label: Literal[0, 1]
    schema_: str | None = Field(default=None, alias="schema")
    dialect: str | None = None
    db_id: PairId | None = None

    def named(self, name: str) -> str | None:
        """The value of a field of the line."""
        value = (self.model_extra or {}).get(name, getattr(self, name, None))
        return None if value is None else str(value)


@dataclass(slots=True, kw_only=True)
class LabelledPairs:
    """Labelled pairs by id."""

    cases: dict[str, GoldCase] = field(default_factory=dict[str, GoldCase])
    examples: list[LabelledExample] = field(default_factory=list[LabelledExample])


def read_pairs(
    sources: Sequence[str], *, group: str, cluster_by: str | None, backgrounds: Backgrounds
) -> LabelledPairs:
    """The pairs of all files. A line that is no labelled pair, or lacks a field that is needed, ends the command."""
    found = LabelledPairs()
    for source in sources:
        shown = "stdin" if source == STANDARD else source
        with open_input(source) as stream:
            for line in read_lines(stream, MAX_EVENT_BYTES):
                where = f"{shown}, line {line.number}"
                pair = parse_line(line, LabelledPairLine)
                if isinstance(pair, str):
                    refuse(f"{where}: {pair}")
                _add(found, pair, where, (group, cluster_by), backgrounds)
    return found


def _add(
    found: LabelledPairs,
    pair: LabelledPairLine,
    where: str,
    fields: tuple[str, str | None],
    backgrounds: Backgrounds,
) -> None:
    group, kind = pair.named(fields[0]), pair.named(fields[1]) if fields[1] is not None else ""
    for name, value in zip(fields, (group, kind), strict=True):
        if value is None:
            refuse(f"{where}: needs `{name}`, which --group or --cluster-by names")
    name = pair.id if pair.id is not None and pair.id not in found.cases else where
    found.cases[name] = GoldCase(
        sql=pair.sql_b,
        gold=(pair.sql_a,),
        dialect=pair.dialect,
        evidence=pair_evidence(pair.schema_, (pair.sql_a, pair.sql_b), pair.dialect, where),
        background=backgrounds.of(pair.db_id),
    )
    # pairs are clustered by the words of their queries, as answers are by those of their questions
    words = f"{pair.sql_a} {pair.sql_b}"
    found.examples.append(
        LabelledExample(
            id=name, question=words, correct=pair.label == 1, group=group_digest(str(group)), kind=str(kind)
        )
    )


def pair_evidence(schema: str | None, queries: tuple[str, str], dialect: str | None, where: str) -> GoldEvidence:
    """The tables of the DDL that the queries read. Ends the command where the DDL cannot be read."""
    if schema is None:
        return GoldEvidence()
    try:
        document = decode_schema(schema.encode())
    except InvalidSchema as error:
        refuse(f"{where}: schema: {error}")
    return GoldEvidence(schema=shown_tables(document, queries, dialect))
