"""What mining looks at in an answer: its conditions, the columns it reads, and the words of its question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scoring.alignment.same_values import is_false
from scoring.decision_rules import NAMEABLE
from scoring.linking import STOP_WORDS, best_likeness
from scoring.query import Query
from scoring.question.english import function_words as english
from scoring.question.english.nouns import UNITS
from scoring.question.english.numbers import MONTHS, NUMBERS, ORDINALS, WEEKDAYS
from scoring.reason_kinds import FORGERIES
from scoring.reasons import ReasonCode
from scoring.signals import read_signals
from scoring.specification import Column, Op, Operand, SqlFilter, SqlSpec, Token, TokenKind
from scoring.values import Boolean, Choices, Number, RelativeTime, Text, TimeRange, Value
from scoring.verdict import Case, Score
from scoring.words import identifier_words, stem

LONGEST_PHRASE = 3
"""Most words of a phrase that may mean a column."""
NAMED = 0.8
"""Likeness from which a word of a question names a table or column by itself."""
_CUES = frozenset(
    "average mean total sum count maximum minimum max min highest lowest most least fewest top bottom"
    " largest smallest biggest greatest latest earliest newest oldest recent percent percentage"
    " proportion difference distinct different unique sorted ordered order ranked descending ascending more less fewer"
    " higher lower greater larger smaller longer shorter above below year month week today yesterday quarter"
    " hour ago last previous current overall together combined record entry row".split()
)
_VAGUE = frozenset("rate amount value result number ratio share time day date level score kind type".split())
"""Words that mean a column only together with another word: `churn rate`."""
_NO_NAME = (
    STOP_WORDS.union(_CUES, english.ARTICLES, english.PREPOSITIONS, english.COPULAS, english.HAVES)
    .union(english.AUXILIARIES, english.RELATIVES, english.CONJUNCTIONS, english.PRONOUNS, english.ADVERBS)
    .union(english.VERBS, english.TIME_VERBS, english.OPENERS, MONTHS, NUMBERS, ORDINALS, WEEKDAYS)
).difference(_VAGUE)
"""Words that hold a question together: they mean no column by themselves."""
_NO_STEMS = frozenset(map(stem, _NO_NAME))
_UNIT_STEMS = frozenset(map(stem, UNITS))


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedFilter:
    """A condition on one column."""

    column: str
    op: Op
    rhs: Value | None
    table: str | None
    unasked: bool
    """No condition of the question meets it, and the question says neither its value nor its column."""
    unsaid: bool = False
    """The same, also where it is excused already as one that companies usually have."""

    @property
    def predicate(self) -> tuple[str, str, str]:
        """What conditions have in common that say the same: `= 0` and `= FALSE` do."""
        rhs = self.rhs
        if is_false(rhs):
            return self.column, self.op.value, "no"
        if rhs in (Boolean(value=True), Number(1.0)):
            return self.column, self.op.value, "yes"
        return self.column, self.op.value, f"{type(rhs).__name__} {rhs}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedAnswer:
    """One answer, as far as mining looks at it."""

    query: Query
    agent: str
    """The agent and its version."""
    asked: str
    """The question's words in one form: answers to one question are counted together."""
    right: bool | None
    """The label, if the answer has one."""
    score: float
    p_correct: float
    p_judge: float
    """`p_correct` before any calibration of the tenant's."""
    codes: frozenset[ReasonCode]
    """The codes that a decision rule may name, of those that the answer has; none where something is proved."""
    tables: frozenset[str]
    filters: tuple[ObservedFilter, ...]
    columns: frozenset[Column]
    """Columns that are shown, aggregated, compared, grouped or sorted by: not those that only join."""
    phrases: frozenset[tuple[str, ...]]
    """Stems of phrases of up to `LONGEST_PHRASE` words that may mean a column."""
    named: frozenset[str]
    """Stems of the question's words that name a table or a column of the SQL by themselves."""
    words: frozenset[str]
    """Stems of the question's words."""


def observe(query: Query, score: Score, *, right: bool | None, agent: str = "") -> ObservedAnswer:
    """Looks at a scored answer."""
    case = score.case
    named = _naming(case)
    runs = _runs(case)
    return ObservedAnswer(
        query=query,
        agent=agent,
        asked=" ".join(token.lower for token in case.question.tokens if token.kind is not TokenKind.PUNCTUATION),
        right=right,
        score=score.composite.score,
        p_correct=score.reply.p_correct,
        p_judge=score.reply.p_correct if score.reply.p_judge is None else score.reply.p_judge,
        codes=_codes(score),
        tables=frozenset([table for block in case.sql.blocks for table in block.tables]),
        filters=tuple(_filters(case)),
        columns=_columns(case.sql),
        phrases=frozenset(_phrases(runs)),
        named=named,
        words=case.question.stems,
    )


def _codes(score: Score) -> frozenset[ReasonCode]:
    if score.case.ran_nothing:
        return frozenset()
    found = read_signals(score.case).keys() | {each.code for each in score.reply.reasons}
    return frozenset() if found & FORGERIES.keys() else NAMEABLE & found


def _filters(case: Case) -> Iterable[ObservedFilter]:
    extra, benign = frozenset(case.filters.extra), frozenset(case.filters.benign)
    for each in case.sql.filters:
        lhs = each.lhs
        if lhs is None or lhs.func is not None or len(lhs.columns) != 1 or lhs.name != lhs.columns[0].name:
            continue
        if each.alternative is None:
            said = _said(each, case)
            yield ObservedFilter(
                column=lhs.name,
                op=each.op,
                rhs=each.rhs,
                table=lhs.columns[0].table,
                unasked=each in extra and not said,
                unsaid=(each in extra or each in benign) and not said,
            )


def _said(each: SqlFilter, case: Case) -> bool:
    """Whether the question says the value, or names the column."""
    if each.lhs is not None and all(
        best_likeness(word, case.spoken) >= NAMED for word in identifier_words(each.lhs.name)
    ):
        return True
    if is_false(each.rhs) or isinstance(each.rhs, Boolean):
        return False
    text = f" {case.question.text} {case.enriched.text} ".casefold()
    if isinstance(each.rhs, Text):
        return bool(each.rhs.folded) and each.rhs.folded in text
    return isinstance(each.rhs, Number) and any(
        number.value == each.rhs.value for spec in (case.question, case.enriched) for number in spec.numbers
    )


def _columns(sql: SqlSpec) -> frozenset[Column]:
    operands: list[Operand] = [each.operand for each in (*sql.projections, *sql.group_by, *sql.order_by)]
    operands += [each.lhs for each in sql.filters if each.lhs is not None]
    found = {column for operand in operands for column in operand.columns}
    return frozenset(found.union(*(each.columns for each in sql.aggregations)))


def _naming(case: Case) -> frozenset[str]:
    names = {column.name for column in case.sql.columns}.union(*(block.tables for block in case.sql.blocks))
    parts = {word for name in names for word in identifier_words(name)}
    said = case.question.stems - _NO_STEMS - _UNIT_STEMS
    return frozenset([word for word in said if best_likeness(word, parts) >= NAMED])


def _runs(case: Case) -> Iterable[list[str]]:
    """Words that stand beside each other, without words of values and words that hold the question together."""
    values = [each for each in case.question.filters if isinstance(each.rhs, Text | TimeRange | RelativeTime)]
    spans = [(each.start, each.start + len(each.span)) for each in values]
    compared = {word for each in case.sql.filters for word in _value_words(each.rhs)}
    run: list[str] = []
    for token in case.question.tokens:
        if (
            _may_name(token)
            and token.stem not in compared
            and not any(start <= token.start < end for start, end in spans)
        ):
            run.append(token.stem)
        else:
            yield run
            run = []
    yield run


def _value_words(value: Value | None) -> Iterable[str]:
    """Stems of the words of a text, or of a list of texts."""
    members = value.members if isinstance(value, Choices) else (value,)
    return [stem(word) for each in members if isinstance(each, Text) for word in each.folded.split()]


def _may_name(token: Token) -> bool:
    if token.kind is not TokenKind.WORD or token.stem in _NO_STEMS or token.lower in _NO_NAME:
        return False
    return len(token.lower) > 1


def _phrases(runs: Iterable[list[str]]) -> Iterable[tuple[str, ...]]:
    for run in runs:
        for start in range(len(run)):
            for end in range(start + 1, min(start + LONGEST_PHRASE, len(run)) + 1):
                if not _VAGUE.issuperset(run[start:end]):
                    yield tuple(run[start:end])
