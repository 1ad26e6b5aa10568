"""`sqlassay rules read`: the rules that a data dictionary proposes, as a document to check and to store."""

from __future__ import annotations

import json
import sys

from consumers.wire.rules_document import InvalidRules, RulesDocument, decode_rules
from learning.dictionary.files import DictionaryFile, read_dictionary
from learning.dictionary.findings import DictionaryFindings, added
from scoring.sql import KNOWN_DIALECTS
from scoring.sql.dialects import canonical_dialect
from service.commands.command_context import check_tenant, with_database
from service.commands.exits import answer_no, refuse
from service.commands.jsonl import STANDARD, open_input, open_output
from service.commands.options import DictionaryOptions
from service.processes.forked_call import CallEnded, call_in_fork
from service.storage.rule_store import PostgresRules

MOST_BYTES = 2_000_000
"""Largest file of a dictionary."""
_CPU_SECONDS = 30.0


def read_rules_of_dictionary(options: DictionaryOptions) -> None:
    """Prints the document, or writes it to a file. Exit code 1 where the files state nothing."""
    dialect = _dialect(options.dialect)
    files = [_file(each) for each in options.files]
    try:
        found = call_in_fork(read_dictionary, files, dialect, cpu_seconds=_CPU_SECONDS)
    except CallEnded as ended:
        refuse(f"the dictionary takes more than {_CPU_SECONDS:g} s to read ({ended}): give fewer files")
    if found.empty:
        answer_no("the files state no convention, look-alike, code or unit that can be read for sure")
    document = _document(found, _stored(options.tenant), dialect)
    text = json.dumps(document, indent=2, ensure_ascii=False)
    if options.out == STANDARD:
        print(text)
    else:
        with open_output(options.out) as stream:
            stream.write(f"{text}\n".encode())
    counts = (
        f"{len(found.conventions)} conventions, codes of {len(found.codes)} columns, {len(found.units)} units,"
        f" {len(found.look_alikes)} look-alikes, {'a' if found.fiscal_year else 'no'} fiscal year"
    )
    print(f"sqlassay: {counts}: read them before you store them", file=sys.stderr)


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
