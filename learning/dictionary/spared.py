"""The tables that have none of the rows that never count, or whose rows all count."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from learning.dictionary.catalogue import Catalogue
from learning.dictionary.notes import sentences
from scoring.words import stem

NEVER = re.compile(
    r"\bnever (?:counts?|counted|add(?:ed)?|included?|use[ds]?(?! `?[a-z]+_[a-z_]+)|show|report(?:ed)?)\b"
    r"|\b(?:is|are|appear|appears|belong|belongs|go|goes|come) (?:never |not )(?:in|into|part of|to)\b[^.;]{0,40}"
    r"\b(?:figures?|reports?|numbers?|lists?|counts?|kpis?|statistics|totals?|metrics?|anything)\b"
    r"|\b(?:never in|(?:left |stay |is |are |always )?out of) (?:any|every|all|our|the)\b[^.;]{0,30}?"
    r"\b(?:figures?|reports?|numbers?|counts?|kpis?|statistics|totals?|metrics?)\b"
    r"|(?:\b(?:is|are|stays?|left)|[:,;]) ?out of (?:everything|anything|[^.;]{0,30}\b(?:counts?|lists?|headcounts?))\b"
    r"|\b(?:is|are|stay|stays) (?:always )?out of (?:every|all|any)\b"
    r"|\bcounts? nowhere\b|\b(?:excluded|left out|ignored) (?:everywhere|always|from (?:all|every|any))\b"
    r"|\bout everywhere\b|\b(?:is|are) (?:always )?out\b(?! of)|\bignored? (?:them |it )?everywhere\b"
    r"|\bin no (?:figure|report|number|list|count|kpi|statistic|total|metric)"
    r"|\b(?:do|does|should|must|shall) not (?:count|be counted|be included)\b|\b(?:don't|doesn't) count\b"
    r"|\bnot (?:counted|included|part of)\b|\bno longer counts?\b"
    r"|\bl(?:eave|eft|eaves|eaving)\b[^.;]{0,90}?\bout\b|\bkeep\b[^.;]{0,60}?\bout of\b|\bkept out of\b"
    r"|\b(?:is|are|be|to be) (?:always )?(?:excluded|ignored|skipped|omitted|filtered out)\b"
    r"|\b(?:always )?(?:exclude|ignore|skip|omit|filter out)s?\b(?! (?:tax|vat))",
    re.IGNORECASE,
)
STAYS = re.compile(
    r"\b(?:do not|don't|never|must not|should not|no need to) (?:ever )?"
    r"(?:filter|exclude|ignore|skip|omit|drop|leave)\b",
    re.IGNORECASE,
)
"""Says that rows count: `Do not filter out cancelled trips.`"""
UNREAL = frozenset(
    "test demo sandbox dummy fake qa training synthetic internal staff seed sample fixture bot probe monitoring".split()
)
_NONE_THERE = re.compile(
    r"\b(?:ha(?:ve|s) no (?!flag|mark|own|such)|never |there are no "
    r"|\(no |(?P<data>contains? no (?:test|demo|such|internal)\b))",
    re.IGNORECASE,
)
WORD = re.compile(r"[A-Za-z]+")
NO_SUCH = re.compile(r"\((?:[^()]*\s)?(?:own|have|has|get|gets|with) no (?P<what>[^()]*)\)", re.IGNORECASE)
"""What stands in brackets of rows that are not there: `(test customers own no contracts)`."""


def spared(text: str, catalogue: Catalogue) -> set[str]:
    """Tables that have none of these rows, or whose rows all count, and what hangs off them.

    `They have no reviews`, `test customers never open tickets`, `delivery figures count every row`.
    """
    only = _NOTHING_ELSE.search(text)
    if only is not None:
        named = {each.name for each in catalogue.named(stem(word.lower()) for word in WORD.findall(only["what"]))}
        return {each.name for each in catalogue.tables.values()} - named
    found = {
        each.name
        for start, end in sentences(text)
        for words in _spared_words(text[start:end])
        for each in catalogue.named(map(stem, words))
    }
    return found.union(below.name for name in found for below in catalogue.hanging_off(name))


_NEVER_FOR = re.compile(
    r"(?P<told>\b(?:never|not) (?:[a-z]+ed|made|taken|given)\b[^.;]{0,20}\bfor\b)"
    r"|\b(?:never|do not|don't) (?:have|get|own|place|make)\b|\bha(?:ve|s) no\b|(?P<nobody>\b(?:nobody|no one)\b)",
    re.IGNORECASE,
)


def _stems(text: str) -> list[str]:
    return [stem(each.lower()) for each in WORD.findall(text)]


def none_for(text: str, catalogue: Catalogue) -> Iterator[tuple[str, set[str]]]:
    """The words of rows that are made up, each with the tables that have none of them.

    `Complaints are never entered for dummy accounts.`
    """
    for start, end in sentences(text):
        found = _NEVER_FOR.search(text, start, end)
        unreal = [word for word in _stems(text[start:end]) if word in UNREAL]
        if unreal and found is not None:
            words = _stems(text[start : found.start()] if found["told"] else text[found.end() : end])
            if found["nobody"] and unreal[0] in words:  # `nobody invoices test patients`: their payments neither
                named = _called(words[: words.index(unreal[0])], catalogue)
                named.update(each.name for name in [*named] for each in catalogue.hanging_off(name))
            else:
                named = _called(words, catalogue)
            yield unreal[0], named


def _called(words: Sequence[str], catalogue: Catalogue) -> set[str]:
    return {each.name for word in words for each in catalogue.tables.values() if each.is_called(word)}


_NOTHING_ELSE = re.compile(r"\bha(?:ve|s) (?P<what>[^.;]{3,60}),? (?:and |but )?nothing (?:else|more)\b", re.IGNORECASE)


def _spared_words(sentence: str) -> Iterator[list[str]]:
    """The words that may name a table of which a sentence says so: together, and one by one."""
    absent = NO_SUCH.search(sentence)
    if absent is not None:
        yield from ([word.lower()] for word in WORD.findall(absent["what"]))
    whole = _ALL_COUNT.search(sentence)
    if whole is not None:
        yield [each.lower() for each in WORD.findall(sentence[: whole.start()])]
        return
    none = _NONE_THERE.search(sentence)
    if none is None or NEVER.search(sentence) is not None:
        return
    said = sentence if none["data"] is not None else sentence[none.end() :]
    words = [each.lower() for each in WORD.findall(said)]
    # `never invoiced`: no invoices
    words += [verb for each in words if each.endswith("ed") for verb in (each[:-1], each[:-2])]
    yield words
    yield from ([word] for word in words)


_ALL_COUNT = re.compile(
    r"\b(?:counts?|includes?|keeps?|uses?|adds?) (?:every|all)(?: the| of the)? (?:rows?|records?|lines?|entries)\b"
    r"|\b(?:are|is) (?:not affected|unaffected)\b",
    re.IGNORECASE,
)
