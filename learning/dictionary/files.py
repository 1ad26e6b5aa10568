"""Reads the files of a dictionary together: what the DDL declares tells the names in the Markdown apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from learning.dictionary.catalogue import Catalogue
from learning.dictionary.dbt import read_dbt
from learning.dictionary.ddl import read_ddl
from learning.dictionary.findings import DictionaryFindings, together
from learning.dictionary.markdown import read_markdown
from learning.dictionary.notes import Note
from learning.dictionary.reading import read_notes

_DDL = re.compile(r"\b(?:CREATE\s+(?:OR\s+REPLACE\s+)?(?:\w+\s+){0,2}TABLE|COMMENT\s+ON)\b", re.IGNORECASE)
_FENCE = re.compile(r"^```(?P<kind>\w*)[^\n]*\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class DictionaryFile:
    """A file by its name and text."""

    name: str
    text: str

    @property
    def is_yaml(self) -> bool:
        """Whether its name says that it is YAML."""
        return self.name.lower().endswith((".yml", ".yaml"))

    @property
    def is_ddl(self) -> bool:
        """Whether it is SQL, by its name or by how it starts."""
        if self.name.lower().endswith((".sql", ".ddl")):
            return True
        return (
            not self.is_yaml
            and _DDL.match(re.sub(r"\A(?:\s|--[^\n]*\n|/\*.*?\*/)*", "", self.text, flags=re.DOTALL)) is not None
        )


def declared(files: Sequence[DictionaryFile], dialect: str | None) -> Catalogue:
    """The tables that the DDL among the files declares.

    >>> ddl = DictionaryFile("pots.sql", "CREATE TABLE pots (id INT, glaze CHAR(1))")
    >>> list(declared([ddl, DictionaryFile("pots.md", "- `glaze`: C clear")], None).tables)
    ['pots']
    """
    catalogue = Catalogue()
    for each in files:
        for text in [each.text] if each.is_ddl else _ddl_within(each):
            read_ddl(text, dialect, catalogue)
    return catalogue


def _ddl_within(file: DictionaryFile) -> list[str]:
    """The DDL in fences of Markdown."""
    fenced = [] if file.is_yaml else [match["text"] for match in _FENCE.finditer(file.text)]
    return [text for text in fenced if _DDL.search(text)]


def read_dictionary(files: Sequence[DictionaryFile], dialect: str | None) -> DictionaryFindings:
    """What the files of one tenant's dictionary state, whatever their order. DDL in fences of Markdown is read too.

    >>> ddl = DictionaryFile("pots.sql", "CREATE TABLE pots (id INT, glaze CHAR(1), is_test BOOLEAN)")
    >>> words = DictionaryFile("pots.md", "- `glaze`: C clear, M matt. `is_test`: never count them.")
    >>> read_dictionary([words, ddl], None).document()["conventions"]
    [{'table': 'pots', 'predicate': 'is_test = FALSE', 'required': True, 'when': []}]
    """
    catalogue = Catalogue()
    stated: list[DictionaryFindings] = []
    comments: list[Note] = []
    texts: list[str] = []
    for each in files:
        if each.is_ddl:
            comments += read_ddl(each.text, dialect, catalogue).notes
        elif each.is_yaml and (read := read_dbt(each.text, catalogue)) is not None:
            stated.append(read.findings)
            comments += read.notes
        else:
            for text in _ddl_within(each):
                comments += read_ddl(text, dialect, catalogue).notes
            texts.append(_FENCE.sub("\n", each.text))
    notes = [note for text in texts for note in read_markdown(text, catalogue)]
    return read_notes([*notes, *comments], catalogue, together(stated))
