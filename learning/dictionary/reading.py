"""Reads the notes of a dictionary into what they state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from learning.dictionary.catalogue import Catalogue, DescribedColumn, DescribedTable
from learning.dictionary.codes import code_list
from learning.dictionary.conditions import counting_conditions, written_conditions
from learning.dictionary.definitions import counted_back, definitions, flag_definitions
from learning.dictionary.exclusions import exclusions
from learning.dictionary.findings import DictionaryFindings, WrittenConvention, WrittenLookAlike
from learning.dictionary.fiscal_years import fiscal_year
from learning.dictionary.groups import CodedColumn, code_groups
from learning.dictionary.look_alikes import look_alikes
from learning.dictionary.mentions import Mention, mentions
from learning.dictionary.named_codes import named_codes
from learning.dictionary.notes import Note, sentences
from learning.dictionary.spared import none_for
from learning.dictionary.states import states
from learning.dictionary.time_zones import time_zones
from learning.dictionary.units import unit_of_name, unit_written
from scoring.words import identifier_words, in_order, stem

_CODE_WORDS = frozenset("code cd key type kind".split())


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A note with the columns that it names and the codes that it lists."""

    note: Note
    mentions: Sequence[Mention]
    coded: Sequence[CodedColumn]


def read_notes(
    notes: Iterable[Note], catalogue: Catalogue, stated: DictionaryFindings | None = None
) -> DictionaryFindings:
    """What the notes state about the tables of the catalogue; `stated` is known from elsewhere, such as dbt's tests."""
    catalogue.link()
    read = [_read(each, catalogue) for each in notes]
    known = _with_values_named(_known_codes(read, catalogue, stated), read)
    conventions: list[WrittenConvention] = []
    units = {
        each.text: unit
        for table in catalogue.tables.values()
        for each in table.columns.values()
        if (unit := unit_of_name(each))
    }
    for each in read:
        units.update(_units(each))
        conventions += _conventions(each, known, catalogue)
    units.update(stated.units if stated is not None else {})
    return DictionaryFindings(
        conventions=tuple(_distinct(_without_spared(conventions, read, catalogue))),
        look_alikes=tuple(
            {(one.column, one.when): one for each in read for one in _look_alikes(each, catalogue)}.values()
        ),
        fiscal_year=fiscal_year(each.note for each in read),
        time_zones=tuple({each.zone: each for each in time_zones((one.note for one in read), catalogue)}.values())[:1],
        units=units,
        codes={each.column.text: each.codes for each in known},
    )


def _read(note: Note, catalogue: Catalogue) -> ReadNote:
    found = mentions(note.text, catalogue, note.table)
    about = _about(note, catalogue)
    coded: dict[str, CodedColumn] = {}
    if about is not None and all(each.column != about for each in found):
        found.insert(0, Mention(0, 0, about, None, plain=False))
    if about is not None and (codes := code_list(_sentence_at(note.text, 0))) is not None:
        coded[about.text] = CodedColumn(about, codes)
    for place, mention in enumerate(found):
        if not mention.end:
            continue
        codes = _codes_behind(mention, _behind(note.text, mention, found[place + 1 :]))
        if codes is not None:
            coded.setdefault(mention.column.text, CodedColumn(mention.column, codes))
    for each in _led(note.text, catalogue):
        coded.setdefault(each.column.text, each)
    if not found and about is None:
        coded.update({each.column.text: each for each in _headed(note.text, catalogue)})
    return ReadNote(note, found, tuple(coded.values()))


def _codes_behind(mention: Mention, text: str) -> dict[str, str] | None:
    """The codes that follow a column's name, also where the first was read as its value: `state = 10 new, 20 sent`."""
    return code_list(f" = {mention.value}{text}" if (mention.value or "").isdigit() else _SAME.sub("", text))


_SAME = re.compile(r"\A(?:\s*(?:and|&|/|,)\s*\w+)?\s*\(?(?:have |the )*same (?:list|codes)\)?(?=\s*:)")
"""What stands between two columns and the one list of both: `OSTAT and PSTAT same list: O open`."""


def _about(note: Note, catalogue: Catalogue) -> DescribedColumn | None:
    """The column that the whole note is about."""
    table = catalogue.table(note.table) if note.table else None
    if table is None or note.column is None:
        return None
    return next((each for each in table.columns.values() if each.name.lower() == (note.column or "").lower()), None)


def _sentence_at(text: str, start: int) -> str:
    """From here to the end of the sentence."""
    for first, last in sentences(text):
        if first <= start < last:
            return text[start:last].rstrip().removesuffix(".")
    return text[start:]


def _behind(text: str, mention: Mention, later: Sequence[Mention]) -> str:
    """From a name to the end of its sentence, or to the next name outside of brackets."""
    end = mention.end
    sentence = _sentence_at(text, end)
    depth = 0
    for place, letter in enumerate(sentence):
        depth += (letter in "([") - (letter in ")]")
        at = end + place
        if not depth and any(each.start == at and not each.plain for each in later):
            return sentence[:place].rstrip(" ,;(`")
    return sentence


def _led(text: str, catalogue: Catalogue) -> Iterator[CodedColumn]:
    """Codes of lists within a paragraph."""
    for each in _LED_LIST.finditer(text):
        found = list(_headed(text[each.start("head") :], catalogue))
        named = [coded for coded in found if re.search(rf"\b{re.escape(coded.column.table)}\b", text)]
        keys = all(identifier_words(coded.column.name)[-1:] in _KEYS for coded in found)
        yield from found if keys or len(found) == 1 else named


_KEYS = (("id",), ("no",), ("nr",), ("key",))
_OF_ANYTHING = frozenset(map(stem, "stat state status typ type kind code cd key".split()))
"""What columns of unlike codes are called alike."""


def _headed(text: str, catalogue: Catalogue) -> Iterator[CodedColumn]:
    """Codes behind words that mean one column: `tariff types: FIX fixed, VAR variable` of `tariff_type_code`."""
    head, colon, rest = text.partition(":")
    if not colon or len(head.split()) > _MOST_HEAD:
        head, colon, rest = _codes_listed(text)
    words = tuple(stem(each) for each in head.strip(" -*`").split())
    codes = code_list(":" + _sentence_at(rest, 0)) if colon and 0 < len(words) <= 3 else None
    if codes is None:
        return
    columns = [(table, each) for table in catalogue.tables.values() for each in table.columns.values()]
    found = [column for table, column in columns if _holds_codes_of(words, column, table)]
    for each in found:
        yield CodedColumn(each, codes, any_table=len(found) > 1 and _OF_ANYTHING.issuperset(words))


def _holds_codes_of(words: tuple[str, ...], column: DescribedColumn, table: DescribedTable) -> bool:
    """Whether a column is named by what a list is of: by all words, with `code` behind them, or by a key in short."""
    named = identifier_words(column.name)
    alike = named == words or (named[-1:] and named[-1] in _CODE_WORDS and named[:-1] == words)
    return bool(alike) or (len(words) == 1 and _is_short_key(named, words[0]) and table.noun[-1:] != words)


_LED_LIST = re.compile(r"(?:(?<=[.;] )|(?<=\n))(?P<head>[A-Z][a-z]+s): (?=[\dA-Z`'])")
"""A list of codes within a paragraph, behind what they are of: `Depots: 10 Ayr, 20 Bath`."""


def _is_short_key(named: tuple[str, ...], word: str) -> bool:
    """Whether a column is the key of things of that name, perhaps in short: `dpt_id` of depots."""
    if len(named) != len(("dpt", "id")) or named[1] not in {"id", "no", "nr", "cd", "code", "key"}:
        return False
    return named[0] == word or (len(named[0]) > 1 and named[0][0] == word[0] and in_order(named[0], word))


_MOST_HEAD = 3
_LISTS = re.compile(r"(?:\A|(?<=\. ))(?P<head>[A-Z][a-z]+(?: [a-z]+)?) are (?=[A-Z0-9]{1,6}[ ,(])")


def _codes_listed(text: str) -> tuple[str, str, str]:
    """What a sentence lists codes of, and the rest behind its verb: `Tariffs are FIX fixed, VAR variable`."""
    match = _LISTS.search(text)
    return (match["head"].lower(), ":", text[match.end() :]) if match is not None else ("", "", "")


def _known_codes(
    read: Sequence[ReadNote], catalogue: Catalogue, stated: DictionaryFindings | None
) -> list[CodedColumn]:
    """The codes of each column: those that were listed first, or with twice as many meanings.

    A list of `status` without a table is of the one table whose `status` has no list of its own.
    """
    known: dict[str, CodedColumn] = {}
    before = stated if stated is not None else DictionaryFindings()
    for column, codes in before.codes.items():
        table, _, name = column.rpartition(".")
        known[column] = CodedColumn(catalogue.add_column(table, name), codes)
    for each in read:
        for coded in filter(_may_be_stored, each.coded):
            listed = known.get(coded.column.text)
            if not coded.any_table and (listed is None or 2 * _labelled(listed) < _labelled(coded)):
                known[coded.column.text] = coded
    for each in read:
        free = [coded for coded in each.coded if coded.any_table and coded.column.text not in known]
        known.update({free[0].column.text: free[0]} if len(free) == 1 else {})
    return list(known.values())


def _with_values_named(known: Iterable[CodedColumn], read: Sequence[ReadNote]) -> list[CodedColumn]:
    """Columns' codes with those that the notes compare them with: beside `st = 'C'`, a list without C is not whole."""
    named: dict[str, dict[str, str]] = {}
    for mention in (one for each in read for one in each.mentions):
        value = (mention.value or "").strip("'\"")
        if value and value.lower() not in _TRUTHS:
            named.setdefault(mention.column.text, {})[value] = ""
    return [replace(each, codes={**named.get(each.column.text, {}), **each.codes}) for each in known]


_TRUTHS = frozenset({"true", "false"})


def _may_be_stored(coded: CodedColumn) -> bool:
    """Whether a column's type holds such codes: no key that is a whole number is `AN announced`."""
    is_number = coded.column.type.startswith(_WHOLE) and identifier_words(coded.column.name)[-1:] in _KEYS
    return not is_number or any(code.lstrip("-").isdigit() for code in coded.codes)


_WHOLE = ("int", "bigint", "smallint", "tinyint", "number(", "serial")


def _labelled(coded: CodedColumn) -> int:
    return sum(map(bool, coded.codes.values()))


def _without_spared(
    conventions: Iterable[WrittenConvention], read: Sequence[ReadNote], catalogue: Catalogue
) -> Iterator[WrittenConvention]:
    """The conventions without those of tables that, as any note says, have no such rows: `never for dummy accounts`."""
    said = [none for each in read for none in none_for(each.note.text, catalogue)]
    for each in conventions:
        of, dot, _ = each.predicate.partition(" ")[0].rpartition(".")
        words = identifier_words(each.predicate.partition(" ")[0])
        spared = any(each.table in tables and word in words for word, tables in said)
        if not (of and dot and spared):
            yield each


def _units(read: ReadNote) -> dict[str, str]:
    found: dict[str, str] = {}
    for place, mention in enumerate(read.mentions):
        unit = unit_written(_behind(read.note.text, mention, read.mentions[place + 1 :]))
        if unit is not None and not mention.plain:
            found[mention.column.text] = unit
    if read.note.table and read.note.column and (unit := unit_written(f" {read.note.text}")):
        found[f"{read.note.table}.{read.note.column}"] = unit
    return found


def _conventions(read: ReadNote, known: Sequence[CodedColumn], catalogue: Catalogue) -> list[WrittenConvention]:
    text = read.note.text
    nearby = _nearby(read, known)
    found: list[WrittenConvention] = []
    defining: set[int] = set()
    for start, end in sentences(text):
        defined = [*definitions(text[start:end], nearby), *flag_definitions(text[start:end], _within(read, start, end))]
        if not defined:
            unique = [each for each in known if each not in nearby]
            defined = definitions(text[start:end], unique) if _one_column(text[start:end], unique) else []
        found += states(text[start:end], _within(read, start, end))
        found += written_conditions(text[start:end], _within(read, start, end), catalogue)
        found += counting_conditions(text[start:end], _within(read, start, end))
        named = list(named_codes(text[start:end], read.note.table, catalogue)) if not defined else []
        defined = defined or named
        if defined:
            defining.add(start)
        found += defined
    found += exclusions(text, read.mentions, nearby, catalogue, defining)
    for each in read.coded:
        found += counted_back(text, each, read.coded)
    return found


def _look_alikes(read: ReadNote, catalogue: Catalogue) -> Iterator[WrittenLookAlike]:
    for start, end in sentences(read.note.text):
        yield from look_alikes(read.note.text[start:end], _within(read, start, end), catalogue)


def _within(read: ReadNote, start: int, end: int) -> list[Mention]:
    """The columns that a sentence names, placed in the sentence."""
    inside = [each for each in read.mentions if start <= each.start < end]
    return [replace(each, start=each.start - start, end=each.end - start) for each in inside]


def _nearby(read: ReadNote, known: Sequence[CodedColumn]) -> list[CodedColumn]:
    """The columns with codes that a note is about: those it lists, those it names, and those of its tables."""
    listed = {each.column.text for each in read.coded} | {each.column.text for each in read.mentions}
    own = [each for each in known if each.column.text in listed]
    if own:
        return own
    tables = {each.column.table for each in read.mentions} | {read.note.table or ""}
    return [each for each in known if each.column.table in tables]


def _one_column(sentence: str, known: Sequence[CodedColumn]) -> bool:
    groups = [each for each in code_groups(sentence, known) if len("".join(each.codes)) > 1]
    return bool(groups) and len({each.of.column.text for each in groups}) == 1


def _distinct(conventions: Iterable[WrittenConvention]) -> list[WrittenConvention]:
    """Each condition of a table once for the same words; one for every question before one for some."""
    found: dict[tuple[str, str, tuple[str, ...]], WrittenConvention] = {}
    for each in conventions:
        key = (each.table.lower(), each.predicate.lower(), each.when)
        before = found.get(key)
        if before is None or (each.required and not before.required):
            found[key] = each
    always = {(table, predicate) for (table, predicate, when), each in found.items() if not when and each.required}
    return [each for (table, predicate, when), each in found.items() if not when or (table, predicate) not in always]
