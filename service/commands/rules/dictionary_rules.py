"""`sqlassay rules read`: the rules that a data dictionary proposes, as a document to check and to store."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from consumers.wire.rules_document import InvalidRules, RulesDocument, decode_rules
from learning.dictionary.files import DictionaryFile, declared, read_dictionary
from learning.dictionary.findings import DictionaryFindings, added
from scoring.sql import KNOWN_DIALECTS
from scoring.sql.dialects import canonical_dialect
from service.commands.command_context import check_tenant, with_database
from service.commands.exits import answer_no, refuse
from service.commands.jsonl import STANDARD, open_input, open_output
from service.commands.judges.model_runs import run_with_models
from service.commands.rules.dictionary_options import DictionaryOptions
from service.pipeline.dictionary_reading.asking import asked_to_read
from service.pipeline.dictionary_reading.replies import DictionaryReply, read_dictionary_reply
from service.pipeline.rule_learning.learning_models import LearningModels
from service.processes.forked_call import CallEnded, call_in_fork
from service.storage.rule_store import PostgresRules

MOST_BYTES = 2_000_000
"""Largest file of a dictionary."""
_CPU_SECONDS = 30.0
_Result = TypeVar("_Result")


def read_rules_of_dictionary(options: DictionaryOptions) -> None:
    """Prints the document, or writes it to a file. Exit code 1 where the files state nothing."""
    dialect = _dialect(options.dialect)
    files = [_file(each) for each in options.files]
    found = _told(files, dialect) if options.model else _in_fork(read_dictionary, files, dialect)
    if found.empty:
        answer_no("the files state no convention, look-alike, code, unit or time zone that can be read for sure")
    document = _document(found, _stored(options.tenant), dialect)
    text = json.dumps(document, indent=2, ensure_ascii=False)
    if options.out == STANDARD:
        print(text)
    else:
        with open_output(options.out) as stream:
            stream.write(f"{text}\n".encode())
    counts = (
        f"{len(found.conventions)} conventions, codes of {len(found.codes)} columns, {len(found.units)} units,"
        f" {len(found.look_alikes)} look-alikes, {len(found.time_zones)} time zones,"
        f" {'a' if found.fiscal_year else 'no'} fiscal year"
    )
    print(f"sqlassay: {counts}: read them before you store them", file=sys.stderr)


def _told(files: Sequence[DictionaryFile], dialect: str | None) -> DictionaryFindings:
    """What the model reads, without what the DDL or the form of rules does not know."""

    async def ask(models: LearningModels) -> str:
        return await asked_to_read(models, files, dialect)

    reply = run_with_models(_ONE_PROMPT, None, ask)
    read = _in_fork(_checked, reply, files, dialect)
    if read is None:
        answer_no("the model's reply is no JSON object, or cut short: raise SQLASSAY_LEARN__MAX_TOKENS, or try again")
    for each in read.left_out:
        print(f"sqlassay: left out: {each}", file=sys.stderr)
    return read.findings


def _checked(reply: str, files: Sequence[DictionaryFile], dialect: str | None) -> DictionaryReply | None:
    return read_dictionary_reply(reply, declared(files, dialect), dialect)


@dataclass(frozen=True, slots=True)
class _Spending:
    """One prompt has no bounds of its own."""

    max_calls: int | None = None
    max_tokens: int | None = None


_ONE_PROMPT = _Spending()


def _in_fork(work: Callable[..., _Result], *arguments: object) -> _Result:
    """What hostile texts give, within bounds of time. Ends the command where they cost more."""
    try:
        return call_in_fork(work, *arguments, cpu_seconds=_CPU_SECONDS)
    except CallEnded as ended:
        refuse(f"the dictionary takes more than {_CPU_SECONDS:g} s to read ({ended}): give fewer files")


def _dialect(name: str | None) -> str | None:
    if name is not None and canonical_dialect(name) is None:
        refuse(f"unknown dialect {name!r}: one of {', '.join(sorted(KNOWN_DIALECTS))}")
    return None if name is None else canonical_dialect(name)


def _file(name: str) -> DictionaryFile:
    with open_input(name) as stream:
        raw = stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        refuse(f"{name}: a dictionary has at most {MOST_BYTES} bytes: give it in parts")
    return DictionaryFile(name, raw.decode("utf-8", "replace").removeprefix("\ufeff"))


def _stored(tenant: str | None) -> dict[str, object]:
    """The tenant's rules in force; none without a tenant."""
    if tenant is None:
        return {}
    check_tenant(tenant)
    stored = with_database(lambda engine: PostgresRules(engine).current(tenant))
    return dict(stored.document)


def _document(found: DictionaryFindings, stored: dict[str, object], dialect: str | None) -> dict[str, object]:
    """The stored rules with what the dictionary adds, checked as `rules set` checks them."""
    document = added(found, stored)
    if dialect is not None:
        document.setdefault("dialect", dialect)
    try:
        checked: RulesDocument = decode_rules(document)
    except InvalidRules as error:
        refuse(f"the dictionary cannot be written as rules: {error}")
    return checked.model_dump(mode="json", exclude_unset=True)
