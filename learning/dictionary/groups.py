"""Groups of stored codes in a sentence, and the condition that keeps or leaves out their rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from learning.dictionary.catalogue import DescribedColumn

_BETWEEN = r"(?:\s*(?:,|/|\+|&|\bor\b|\band\b)\s*)+"
_NEGATED = re.compile(
    r"(?:\bexcept(?:\s+for)?|\bexcluding|\bexcludes?|\bwithout|\bother than|\bleav(?:es?|ing) out|\bminus"
    r"|\bbut not|\bnot)"
    r"(?:\s+(?:the|any|all|those|that|are|in|marked|with|status))*\s*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CodedColumn:
    """A column with its codes and what they mean."""

    column: DescribedColumn
    codes: Mapping[str, str]
    any_table: bool = False
    """The list names no table, and columns of several tables are called so."""


@dataclass(frozen=True, slots=True)
class CodeGroup:
    """Codes of one column that stand together."""

    start: int
    end: int
    of: CodedColumn
    codes: tuple[str, ...]
    negated: bool
    """The words before leave them out."""

    def condition(self, *, keeps: bool | None = None, named: str | None = None) -> str:
        """The condition that keeps these codes, or leaves them out."""
        kept = (not self.negated) if keeps is None else keeps
        values = [each if _is_number(self.of) else f"'{each}'" for each in self.codes]
        name = named or self.of.column.name
        if len(values) == 1:
            return f"{name} {'=' if kept else '<>'} {values[0]}"
        return f"{name} {'IN' if kept else 'NOT IN'} ({', '.join(values)})"


def _is_number(of: CodedColumn) -> bool:
    return all(code.lstrip("-").isdigit() for code in of.codes) and not of.column.type.startswith(
        ("char", "var", "text")
    )


def code_groups(sentence: str, known: Sequence[CodedColumn]) -> list[CodeGroup]:
    """The groups of codes of known columns, in order. A code is written as it is stored, or by its one-word meaning.

    >>> state = CodedColumn(DescribedColumn("orders", "state"), {"P": "paid", "S": "sent out", "X": "void"})
    >>> [(each.codes, each.negated) for each in code_groups("Income = orders in P or S. All except void ones", [state])]
    [(('P', 'S'), False), (('X',), True)]
    """
    found: list[CodeGroup] = []
    for of in known:
        names = {name: code for code in of.codes for name in _names(code, of.codes[code])}
        one = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        single = rf"[`'\"“]?(?<![\w'’.-])(?:{one})(?![\w'’-]|\.\w)[`'\"”]?(?:\s*\((?:{one})\))?"
        pattern = re.compile(rf"{single}(?:{_BETWEEN}{single})*")
        for match in pattern.finditer(sentence):
            if _ARTICLE.match(sentence, match.start()) is not None and not sentence[: match.start()].strip():
                continue
            said = re.findall(rf"(?<![\w'’.-])(?:{one})(?![\w'’-])", match[0])
            codes = tuple(dict.fromkeys(names[each] for each in said))
            found.append(
                CodeGroup(match.start(), match.end(), of, codes, bool(_NEGATED.search(sentence, 0, match.start())))
            )
    found.sort(key=lambda each: (each.start, -each.end))
    return found


_ARTICLE = re.compile(r"(?:A|I) [a-z]")
"""`A renewal is a new row` begins with no code."""


def _names(code: str, meaning: str) -> list[str]:
    """The code, and its meaning where that is one word of at least four letters."""
    words = [each for each in meaning.split(" / ") if each.isalpha() and len(each) > 3]
    return [code, *words] if len(code) > 1 or code.isupper() or code.isdigit() else words


def said_in_brackets(sentence: str, place: int, groups: Sequence[CodeGroup]) -> list[CodeGroup]:
    """The codes that words in brackets are said of: those before, as in `N no longer here (never counts)`."""
    opened = sentence.rfind("(", 0, place)
    if opened < 0 or ")" in sentence[opened:place]:
        return []
    before = [each for each in groups if each.end <= opened and not re.search(r"[,;]", sentence[each.end : opened])]
    return before[-1:]
