"""SQL conditions that the question's words ask for, or exclude, though no rule read a filter from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from scoring.alignment.contradictions import excludes
from scoring.alignment.matching import NEGATIVE
from scoring.alignment.same_values import FALSE_WORDS, as_number
from scoring.linking import best_likeness, content_words, firsts_and_synonyms, operand_words
from scoring.patterns import lazy
from scoring.question.english.demonyms import DEMONYMS
from scoring.specification import (
    NEGATION,
    Clause,
    FilterOrigin,
    Op,
    Operand,
    QuestionFilter,
    QuestionSpec,
    SqlFilter,
    SqlSpec,
    Token,
)
from scoring.values import Boolean, Choices, Expression, Number, Text
from scoring.words import identifier_words, in_order, letters, stem

_CODES: dict[str, frozenset[str]] = {
    "f": frozenset({"female", "woman", "girl", "lady", "mother", "daughter", "wife", "actress"}),
    "m": frozenset({"male", "man", "boy", "gentleman", "father", "son", "husband"}),
}
_GENDER_WORDS = frozenset({"sex", "gender"})
_FLAG_FRAME = frozenset({"is", "has", "ha", "was", "wa", "can", "flag"})
"""Words that only say a column is a flag."""
_TRUE = frozenset({"1", "y", "yes", "t", "true"})
_NOT_BEFORE = lazy(r"(?:\b(?:not|no|non|never|without|nor|neither)|n't)\b(?:\W+\w+){0,1}\W*$")
IMPLIED = 0.6
"""Certainty of a condition that was found in the question only by looking for the SQL's own words."""
Span: TypeAlias = tuple[str, int]
"""Words of a question and where they start."""


def implied_filter(
    present: SqlFilter, questions: tuple[QuestionSpec, QuestionSpec], sql: SqlSpec
) -> QuestionFilter | None:
    """The condition of Qu, or one that Qe permits, that `present` expresses; `questions` is both.

    A subquery's MAX or MIN expresses a superlative, a text value its own words, a flag the words of its column, and a
    number itself. Where the question excludes those words and the answer keeps only them, it is the opposite condition.
    """
    for spec, source in zip(questions, (FilterOrigin.QUESTION, FilterOrigin.ENRICHED), strict=True):
        span = _span(present, spec, sql)
        if span is not None:
            word, start = span
            op = NEGATION[present.op] if start in spec.excluded and _keeps(present, sql) else present.op
            return QuestionFilter(
                lhs=present.lhs, op=op, rhs=present.rhs, span=word, start=start, source=source, certain=IMPLIED
            )
    return None


def _keeps(present: SqlFilter, sql: SqlSpec) -> bool:
    """Whether the answer has only rows with this text, and the SQL leaves nothing else out."""
    if present.op not in (Op.EQ, Op.IN) or present.clause is not Clause.WHERE or present.alternative is not None:
        return False
    return any(block.output and block.path == present.block for block in sql.blocks) and not excludes(sql)


def _span(present: SqlFilter, spec: QuestionSpec, sql: SqlSpec) -> Span | None:
    """The words that ask for it."""
    rhs = present.rhs
    if present.op is Op.IS_NULL:
        return (_by_negation(spec) if present.block in anti_joined(sql) else None) or _by_absence(present, spec)
    if _compares_count(present):
        return _literal_span(rhs, present.lhs, spec) or _by_both(rhs, spec)
    if isinstance(rhs, Expression):
        return _by_expression(present, rhs, spec, sql)
    if present.op in NEGATIVE and not spec.negations:
        return None
    if isinstance(rhs, Choices):
        return _by_all_members(rhs, present.lhs, spec)
    flag = _flag_span(present, spec)
    return flag if flag is not None else _literal_span(rhs, present.lhs, spec)


def _compares_count(present: SqlFilter) -> bool:
    return present.lhs is not None and present.lhs.func == "COUNT" and present.op in (Op.EQ, Op.GE)


def _by_expression(present: SqlFilter, rhs: Expression, spec: QuestionSpec, sql: SqlSpec) -> Span | None:
    if rhs.subquery is None and rhs.columns:
        return _by_definition(present, rhs, spec)
    return _by_extreme(rhs, spec, sql) if present.op is Op.EQ else _by_average(rhs, spec)


def _by_all_members(rhs: Choices, lhs: Operand | None, spec: QuestionSpec) -> Span | None:
    """The words of the first member, where the question names every member."""
    first: Span | None = None
    for member in sorted(rhs.members, key=str):
        span = _literal_span(member, lhs, spec)
        if span is None:
            return None
        first = first or span
    return first


def _by_extreme(rhs: Expression, spec: QuestionSpec, sql: SqlSpec) -> Span | None:
    """A superlative asks for a subquery that takes an extreme, by MAX or MIN or as its first row."""
    first_row = rhs.subquery in {each.block for each in sql.limits} & {each.block for each in sql.order_by}
    if rhs.subquery is None or not (first_row or {"MAX", "MIN"} & set(rhs.functions)):
        return None
    first = next(iter(spec.superlatives), None)
    return (first.word, first.start) if first is not None else None


def _by_definition(present: SqlFilter, rhs: Expression, spec: QuestionSpec) -> Span | None:
    """A definition that names both compared columns asks for the comparison."""
    compared = {letters(name) for name in rhs.columns}
    compared |= {letters(column.name) for column in present.lhs.columns} if present.lhs is not None else set()
    for definition in spec.definitions:
        if compared <= {letters(name) for name in definition.columns}:
            return definition.phrase, definition.start
    return None


def anti_joined(sql: SqlSpec) -> set[str]:
    """Blocks with an outer join, whose IS NULL keeps rows without a partner."""
    return {join.block for join in sql.joins if join.kind in ("left", "right", "full")}


def _by_negation(spec: QuestionSpec) -> Span | None:
    if not spec.negations:
        return None
    return spec.negations[0], max(0, spec.text.find(spec.negations[0]))


_OPEN = frozenset("still open pending outstanding unpaid active current currently ongoing running waiting live".split())
"""Words of things that have no end yet."""
_ENDS = frozenset(
    "end ended close closed resolved finished completed done cancelled canceled paid left returned received delivered"
    " shipped to until deactivated retired terminated expired settled solved exit departed dropped".split()
)
"""Words of columns that say when something ended."""
_COLUMN_FRAME = frozenset("at on date dt ts time by".split())


def _by_absence(present: SqlFilter, spec: QuestionSpec) -> Span | None:
    """The words that ask for no value: `not shipped` or `unshipped` for shipped_at, `still open` for closed_at."""
    if present.lhs is None or len(present.lhs.columns) != 1:
        return None
    words = [word for word in identifier_words(present.lhs.columns[0].name) if word not in _COLUMN_FRAME]
    ends = not _ENDS.isdisjoint(words)
    for token in spec.tokens:
        if ends and token.lower in _OPEN:
            return token.text, token.start
        positive = token.stem.removeprefix("un").removeprefix("non-").removeprefix("in")
        if len(token.stem) > 3 and _negated(token, spec) and best_likeness(positive, words) >= 0.6:
            return token.text, token.start
    return None


_BOTH = frozenset({"both", "all", "every", "each"})


def _by_both(rhs: object, spec: QuestionSpec) -> Span | None:
    """`both` asks for `COUNT(DISTINCT x) = 2`."""
    if not isinstance(rhs, Number) or rhs.value < 2:
        return None
    token = next((token for token in spec.tokens if token.lower in _BOTH), None)
    return (token.text, token.start) if token is not None else None


def _by_average(rhs: Expression, spec: QuestionSpec) -> Span | None:
    if "AVG" not in rhs.functions:
        return None
    token = next((token for token in spec.tokens if token.stem in {"average", "mean", "avg"}), None)
    return (token.text, token.start) if token is not None else None


def _flag_span(present: SqlFilter, spec: QuestionSpec) -> Span | None:
    """The word `active` asks for `is_active = 1`, its negation for `is_active = 0`."""
    text = _flag_text(present)
    if present.lhs is None or text not in _TRUE | FALSE_WORDS or present.op not in (Op.EQ, Op.NE):
        return None
    affirmed = (text in _TRUE) == (present.op is Op.EQ)
    words = [word for column in present.lhs.columns[:1] for word in identifier_words(column.name)]
    named = [word for word in words if word not in _FLAG_FRAME]
    for token in _possibly_alike(named, spec):
        if best_likeness(token.stem, named) >= 0.8 and affirmed is not _negated(token, spec):
            return token.text, token.start
    return None


def _possibly_alike(named: Sequence[str], spec: QuestionSpec) -> Iterator[Token]:
    """The words of the question that may be like one of `named`: a comparison of all pairs costs too much."""
    alike = firsts_and_synonyms(named)
    for token in spec.tokens:
        if len(token.stem) >= 3 and not alike.isdisjoint((token.stem[0], token.stem)):
            yield token


def _negated(token: Token, spec: QuestionSpec) -> bool:
    """Whether a negation is shortly before a word, or in it."""
    before = spec.text[max(0, token.start - 16) : token.start].lower()
    return _NOT_BEFORE.search(before) is not None or token.lower.startswith(("non-", "un"))


def _flag_text(present: SqlFilter) -> str | None:
    """The text of a value that may be a flag's."""
    if isinstance(present.rhs, Boolean):
        return str(int(present.rhs.value))
    if isinstance(present.rhs, Number) and present.rhs.value in (0, 1):
        return str(int(present.rhs.value))
    return present.rhs.folded if isinstance(present.rhs, Text) else None


def _literal_span(rhs: object, lhs: Operand | None, spec: QuestionSpec) -> Span | None:
    if isinstance(rhs, Text):
        return _text_span(rhs, lhs, spec)
    if isinstance(rhs, Number):
        figures = (token for token in spec.tokens if not token.text.isalpha())
        token = next((token for token in figures if as_number(Text(token.lower)) == rhs.value), None)
        if token is not None:
            return token.text, token.start
    return None


def _text_span(value: Text, lhs: Operand | None, spec: QuestionSpec) -> Span | None:
    coded = _CODES.get(value.folded)
    if coded is not None and lhs is not None and _GENDER_WORDS & set(operand_words(lhs)):
        token = next((token for token in spec.tokens if token.stem in coded), None)
        return (token.text, token.start) if token is not None else None
    words = content_words(value.folded)
    if not words or len(value.folded) < 2:
        return None
    said = _tokens_of(frozenset(words), spec)
    if said.keys() >= set(words):
        return said[words[0]].text, said[words[0]].start
    return _code_span(value.folded, lhs, spec)


_LONGEST_CODE = 4
_CODED = frozenset("status state type kind code cd category class tier level segment channel reason role stage".split())
"""Words of columns that hold codes."""


def _code_span(code: str, lhs: Operand | None, spec: QuestionSpec) -> Span | None:
    """The word that a code of up to four letters abbreviates: `ent` for enterprise, CMP for completed."""
    if lhs is None or not code.isalpha() or len(code) > _LONGEST_CODE:
        return None
    coded = not _CODED.isdisjoint(operand_words(lhs))
    for token in spec.tokens:
        word = letters(token.stem)
        abbreviated = coded and len(word) > len(code) + 1 and word[0] == code[0] and in_order(code, word)
        if abbreviated or code in DEMONYMS.get(token.stem, ()):
            return token.text, token.start
    return None


def _tokens_of(words: frozenset[str], spec: QuestionSpec) -> dict[str, Token]:
    """The last token of the question for each of some stemmed words that it contains."""
    said: dict[str, Token] = {}
    for token in spec.tokens:
        if token.stem in words:
            said[token.stem] = token
        if not token.text.isalpha():
            said.update((part, token) for part in _parts(token) if part in words)
    return said


def _parts(token: Token) -> tuple[str, ...]:
    """The stems of a hyphenated word, whole and in its parts: `non-stop` contains `stop`."""
    return _stems_of_parts(token.stem, token.lower)


@lru_cache(maxsize=8192)
def _stems_of_parts(whole: str, lower: str) -> tuple[str, ...]:
    return tuple([stem(part) for part in (whole, *lower.replace("_", "-").split("-"))])
