"""Writes the prompt that shows a model an answer beside its gold SQL, masked as the settings say."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import cast

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from consumers.judging.comparing.gold_case import GoldCase, GoldEvidence, Shown
from consumers.judging.comparing.gold_judges import GoldJudge, GoldPart, gold_reply_schema
from consumers.judging.masking.masked_sql import (
    literals_of,
    mask_sql,
    names_of,
    numbers_of,
    perhaps_texts,
    schemas_of,
    tokens_of,
)
from consumers.judging.masking.masked_values import leaves, masked_value
from consumers.judging.masking.masker import Masker
from consumers.judging.masking.open_words import OpenWords
from consumers.judging.masking.plain_parts import masked_finding
from consumers.judging.prompting import MAX_PROMPT, Prompt, Template, as_data
from scoring.query import Unscored, UnscoredReason
from scoring.sql.dialects import canonical_dialect, guess
from scoring.sql.parsing import Parsed, parse_query

MOST_GOLDS = 4
"""Most gold queries that are shown."""
_LONGEST_NAME = 60
"""Characters of a cell up to which it is masked as one value wherever its words stand together."""
_WORD = re.compile(r"\w+")
_FINDING_WORDS = frozenset(
    "ambiguous arithmetic comparisons constraint contradicts counterexample declared equivalent further guessed ignore "
    "ignored ignores incomplete inferred lie ordinary parser pick picks proved queries query sqlite too witness".split()
)
"""Words of the program's own findings that are no plain words of a question. A finding may quote data, too."""


@dataclass(frozen=True, slots=True)
class ShownGold:
    """What a model is shown of an answer and its gold SQL, and what masked it."""

    document: Mapping[str, object]
    masker: Masker | None
    """`None` where nothing was masked."""


def shown_gold(case: GoldCase, judge: GoldJudge, *, masked: bool) -> ShownGold | Unscored:
    """The data of a case as this judge is shown it; `Unscored` where a text cannot be masked."""
    dialect = canonical_dialect(case.dialect) if case.dialect is not None else None
    dialect = dialect or guess(case.sql)
    masker = _masker(case, dialect) if masked else None
    queries = [_sql(each, dialect, masker) for each in (case.sql, *case.gold[:MOST_GOLDS])]
    if any(each is None for each in queries):
        return Unscored(UnscoredReason.JUDGE_NOT_ASKED, "the SQL cannot be tokenized to mask its literals")
    document = _document(case, judge, dialect, cast("list[str]", queries), masker)
    if masker is not None and any(masker.leaks(text) for text in set(leaves(document))):
        return Unscored(UnscoredReason.JUDGE_NOT_ASKED, "a name could not be masked everywhere")
    return ShownGold(document, masker)


def gold_prompt(case: GoldCase, judge: GoldJudge, template: Template, *, masked: bool) -> Prompt | Unscored:
    """The prompt of a case; `Unscored` where a text cannot be masked or the prompt is too long."""
    shown = shown_gold(case, judge, masked=masked)
    if isinstance(shown, Unscored):
        return shown
    data = as_data(shown.document)
    if len(data) > MAX_PROMPT:
        detail = f"the prompt has {len(data)} characters: at most {MAX_PROMPT} are sent"
        return Unscored(UnscoredReason.JUDGE_NOT_ASKED, detail)
    user = f"BEGIN DATA\n{data}\nEND DATA\nCompare the SQL in the data. Reply with the JSON object only."
    return Prompt(
        version=template.version,
        system=template.system,
        user=user,
        digest=hashlib.sha256("\0".join((template.version, template.system, user)).encode()).hexdigest(),
        masker=shown.masker,
        rules=template.rules,
        schema=gold_reply_schema(judge.form, ruled=bool(template.rules)),
    )


def _document(
    case: GoldCase, judge: GoldJudge, dialect: str, queries: Sequence[str], masker: Masker | None
) -> dict[str, object]:
    """The data in a fixed order, without what is absent or not shown to this judge."""
    text = masker.text if masker is not None else str
    evidence = case.evidence
    found: dict[str, object] = {}
    if GoldPart.QUESTION in judge.shows and case.question is not None:
        found["question"] = text(case.question)
        found["enriched_question"] = text(case.enriched_question) if case.enriched_question is not None else None
    if GoldPart.BACKGROUND in judge.shows:
        found |= {name: text(str(value)) for name, value in case.background.document.items()}
    found |= {"dialect": dialect, "gold_sql": queries[1], "other_gold_sql": list(queries[2:]), "sql": queries[0]}
    if GoldPart.SCHEMA in judge.shows:
        # names of the schema are no data, and types hold none
        found["schema"] = list(evidence.schema)
    if GoldPart.RESULTS in judge.shows:
        found["gold_result"] = _rows(evidence.gold_result, masker)
        found["answer_result"] = _rows(evidence.answer_result, masker)
    if GoldPart.WITNESS in judge.shows:
        found["witness"] = _witness(evidence.witness, masker)
        found["finding"] = _finding(case, dialect, masker)
    return {name: value for name, value in found.items() if value not in (None, "", [], {})}


def _finding(case: GoldCase, dialect: str, masker: Masker | None) -> str:
    """What the comparison found: the program's words and counts, and the names that the queries give."""
    if masker is None:
        return case.evidence.finding
    names: set[str] = set()
    for sql in (case.sql, *case.gold[:MOST_GOLDS]):
        names |= names_of(sql, tokens_of(sql, dialect) or [])
    return masked_finding(case.evidence.finding, masker, names)


def _witness(witness: Shown | None, masker: Masker | None) -> Shown | None:
    if witness is None:
        return None
    tables = cast("Mapping[str, Shown]", witness["tables"])
    return {
        "tables": {name: _rows(held, masker) for name, held in tables.items()},
        "gold_result": _rows(cast("Shown", witness["gold_result"]), masker),
        "answer_result": _rows(cast("Shown", witness["answer_result"]), masker),
    }


def _rows(result: Shown | None, masker: Masker | None) -> Shown | None:
    """A result with its columns masked as texts are and its cells as literals are."""
    if result is None or masker is None:
        return result
    columns = [masker.text(str(each)) for each in cast("Sequence[object]", result["columns"])]
    return {**result, "columns": columns, "rows": masked_value(result["rows"], masker)}


def _sql(sql: str, dialect: str, masker: Masker | None) -> str | None:
    if masker is None:
        return sql
    tokens = tokens_of(sql, dialect)
    return None if tokens is None else mask_sql(masker, sql, tokens, dialect)


def _masker(case: GoldCase, dialect: str) -> Masker:
    """A masker that knows every literal of all queries and every value that is shown, always in the same order."""
    queries = (case.sql, *case.gold[:MOST_GOLDS])
    tokens = [tokens_of(each, dialect) or [] for each in queries]
    names = chain.from_iterable(_names(each, held, dialect) for each, held in zip(queries, tokens, strict=True))
    said = {*_said(case), *(_FINDING_WORDS if case.evidence.finding else ())}
    # the dialect stands in the data as it is, and in findings
    masker = Masker(OpenWords(frozenset({*names, *_declared(case), *said, dialect})))
    cells = list(_cells(case.evidence))
    numbers = [cell if isinstance(cell, str) else f"{abs(cell):.15g}" for cell in cells]
    masker.learn_numbers(
        [case.question or "", case.enriched_question or "", case.background.text],
        chain(chain.from_iterable(map(numbers_of, tokens)), numbers),
    )
    for value in chain.from_iterable(map(literals_of, tokens)):
        masker.learn_literal(value)
    for value in filter(_may_be_name, cells):
        masker.learn_literal(str(value))
    return masker


def _may_be_name(cell: str | float) -> bool:
    return isinstance(cell, str) and len(cell) <= _LONGEST_NAME


def _names(sql: str, tokens: Sequence[Token], dialect: str) -> Iterator[str]:
    """Lower-case names of the tables and columns that a query reads, except what may be a text."""
    parsed = parse_query(sql, dialect)
    if not isinstance(parsed, Parsed):
        return
    tables = {table.name.lower() for table in parsed.tree.find_all(exp.Table)}
    columns = {column.name.lower() for column in parsed.tree.find_all(exp.Column)} - perhaps_texts(sql, tokens)
    yield from tables | columns | schemas_of(tokens, tables)


def _declared(case: GoldCase) -> set[str]:
    found: set[str] = set()
    for table in case.evidence.schema:
        found.add(str(table["table"]).lower())
        found |= {str(column["name"]).lower() for column in cast("Sequence[Shown]", table["columns"])}
    return found


def _said(case: GoldCase) -> set[str]:
    """The words of the background, which its writer declares harmless; its numbers stay masked."""
    words = _WORD.findall(f"{case.background.domain} {case.background.text}".lower())
    return {word for word in words if not word.isdigit()}


def _cells(evidence: GoldEvidence) -> Iterator[str | float]:
    """The texts and numbers in the results and the witness, without the names of tables and columns."""
    for shown in (evidence.gold_result, evidence.answer_result, evidence.witness):
        yield from _scalars(shown)


def _scalars(value: object) -> Iterator[str | float]:
    if isinstance(value, Mapping):
        held = cast("Mapping[str, object]", value)
        yield from chain.from_iterable(_scalars(each) for name, each in held.items() if name != "columns")
    elif isinstance(value, (list, tuple)):
        yield from chain.from_iterable(map(_scalars, cast("Sequence[object]", value)))
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value
