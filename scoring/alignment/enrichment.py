"""Stage 1: does the enriched question still ask what the user asked? A score of its own, never part of Φ."""

from __future__ import annotations

from functools import cached_property

from scoring.alignment.matching import CERTAIN
from scoring.alignment.same_values import Context, plain, same_value
from scoring.immutable import immutable
from scoring.linking import content_words
from scoring.patterns import lazy
from scoring.specification import NEGATION, FilterOrigin, Op, QuestionFilter, QuestionSpec
from scoring.values import Choices, DatePart, Number, RelativeTime, Text, TimeRange, Value
from scoring.verdict import Enrichment, EnrichmentStatus, Weakening

LOST_PENALTY, CHANGED_PENALTY, ADDED_PENALTY = 25.0, 40.0, 15.0
"""Points of 100 taken for each thing lost, changed or added."""

_SPACES = lazy(r"\s+")


@immutable(kw_only=False)
class Rewriting:
    """How Qe restates Qu's conditions."""

    changed: tuple[tuple[QuestionFilter, QuestionFilter], ...] = ()
    """Conditions of Qu, each with the one that Qe has in its place."""
    lost: tuple[QuestionFilter, ...] = ()
    verbatim: bool = True
    """Qe repeats Qu word for word and may go on."""


def rewriting(question: QuestionSpec, enriched: QuestionSpec, context: Context) -> Rewriting:
    """Compares the conditions of Qu with those of Qe."""
    if enriched is question or _repeats(question.text, enriched.text):
        return Rewriting()
    changed, lost = _lost_or_changed(question, enriched, _restrictions(enriched), context)
    return Rewriting(tuple(changed), tuple(lost), verbatim=False)


def _restrictions(enriched: QuestionSpec) -> list[QuestionFilter]:
    return [each for each in enriched.filters if each.source is not FilterOrigin.DEFINITION]


def validate(
    question: QuestionSpec, enriched: QuestionSpec | None, rewritten: Rewriting, context: Context
) -> Enrichment:
    """Compares Sq of Qu with Sq of Qe: every condition, top-k, aggregation and grouping of Qu must survive."""
    if enriched is None:
        return Enrichment(status=EnrichmentStatus.MISSING, score=0.0)
    if rewritten.verbatim:
        return _verbatim(question, enriched)
    more_changed, more_lost = _intent(question, enriched)
    added = _added((question, enriched), _restrictions(enriched), rewritten.changed, context)
    changed = (*(f"{before.span} → {after.span}" for before, after in rewritten.changed), *more_changed)
    return _graded((*(each.span for each in rewritten.lost), *more_lost), added, changed)


def _graded(lost: tuple[str, ...], added: tuple[str, ...], changed: tuple[str, ...]) -> Enrichment:
    if changed:
        status = EnrichmentStatus.CONTRADICTORY
    elif lost:
        status = EnrichmentStatus.LOSSY
    else:
        status = EnrichmentStatus.EXTENDED if added else EnrichmentStatus.FAITHFUL
    taken = LOST_PENALTY * len(lost) + CHANGED_PENALTY * len(changed) + ADDED_PENALTY * len(added)
    return Enrichment(status=status, score=max(0.0, 100.0 - taken), lost=lost, added=added, changed=changed)


def weakened(enrichment: Enrichment, found: tuple[Weakening, ...]) -> Enrichment:
    """The comparison with what Qe's definitions drop among the lost, and what they contradict among the changed."""
    if not found:
        return enrichment
    lost = dict.fromkeys(each.asked for each in found if not each.contradicts)
    changed = dict.fromkeys(f"{each.asked} → {each.given}" for each in found if each.contradicts)
    return _graded(
        (*enrichment.lost, *(each for each in lost if each not in enrichment.lost)),
        enrichment.added,
        (*enrichment.changed, *(each for each in changed if each not in enrichment.changed)),
    )


def _repeats(question: str, enriched: str) -> bool:
    if enriched.startswith(question):
        return True
    alike = question.lstrip()[:4].casefold() == enriched.lstrip()[:4].casefold()
    return alike and _plain(enriched).startswith(_plain(question))


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).strip().casefold().rstrip("?.! ")


def _verbatim(question: QuestionSpec, enriched: QuestionSpec) -> Enrichment:
    """Qe repeats Qu word for word and adds text: only the added text can restrict."""
    begin = len(question.text.rstrip("?.! \t\n"))
    known = {each.rhs for each in question.filters}
    added = tuple(
        each.span
        for each in enriched.filters
        if each.source is FilterOrigin.ENRICHED
        and each.start >= begin
        and each.certain >= CERTAIN
        and each.rhs not in known
    )
    return _graded((), added, ())


def _lost_or_changed(
    question: QuestionSpec, enriched: QuestionSpec, restrictions: list[QuestionFilter], context: Context
) -> tuple[list[tuple[QuestionFilter, QuestionFilter]], list[QuestionFilter]]:
    changed: list[tuple[QuestionFilter, QuestionFilter]] = []
    lost: list[QuestionFilter] = []
    sure = [each for each in question.filters if each.certain >= CERTAIN]
    if not sure:
        return changed, lost
    restated = _Restated(enriched, restrictions)
    other_values = _OtherValues(question, context)
    for each in sure:
        if _survives(each, restated, context):
            continue
        other = next((there for there in restrictions if _rewritten(each, there, other_values, context)), None)
        if other is not None:
            changed.append((each, other))
        else:
            lost.append(each)
    return changed, lost


class _Restated:
    """What Qe says, indexed for many questions about it."""

    def __init__(self, enriched: QuestionSpec, restrictions: list[QuestionFilter]) -> None:
        self._enriched = enriched
        self._restrictions = restrictions
        self._texts = {(each.op, plain(each.rhs)) for each in restrictions if isinstance(each.rhs, Text)}

    @cached_property
    def text(self) -> str:
        """All of it, with single spaces, without regard to case."""
        return _SPACES.sub(" ", self._enriched.text).casefold()

    @cached_property
    def defined(self) -> set[str]:
        """The words that it defines."""
        return {word for definition in self._enriched.definitions for word in content_words(definition.phrase)}

    def holds(self, each: QuestionFilter, context: Context) -> bool:
        """Whether a condition of Qe has the operator and the value of `each`."""
        rhs = each.rhs
        if isinstance(rhs, Text):
            if (each.op, plain(rhs)) in self._texts:
                return True
            others = [there for there in self._restrictions if not isinstance(there.rhs, Text)]
        else:
            others = self._restrictions
        return any(there.op is each.op and _equal(rhs, there.rhs, context) for there in others)

    def negates(self, each: QuestionFilter) -> bool:
        """Whether a condition of Qe has the value of `each` and the opposite operator."""
        opposite = NEGATION.get(each.op)
        return any(there.op is opposite and there.rhs == each.rhs for there in self._restrictions)


def _survives(each: QuestionFilter, restated: _Restated, context: Context) -> bool:
    if restated.holds(each, context):
        return True
    if each.op in {Op.EQ, Op.IN, Op.CONTAINS} and isinstance(each.rhs, Text):
        return _plain(each.rhs.folded) in restated.text and not restated.negates(each)
    words = set(content_words(each.span))
    return bool(words) and words <= restated.defined


def _equal(ours: Value | None, theirs: Value | None, context: Context) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return same_value(ours, theirs, context)


class _OtherValues:
    """Which conditions of Qe have a value that Qu does not have: each is compared with Qu once."""

    def __init__(self, question: QuestionSpec, context: Context) -> None:
        self._question = question
        self._context = context
        self._found: dict[int, bool] = {}

    def holds(self, there: QuestionFilter) -> bool:
        key = id(there)
        if key not in self._found:
            own = [each for each in self._question.filters if each.op is there.op]
            self._found[key] = not any(_equal(each.rhs, there.rhs, self._context) for each in own)
        return self._found[key]


def _rewritten(each: QuestionFilter, there: QuestionFilter, other_values: _OtherValues, context: Context) -> bool:
    """Whether Qe has `there` in the place of `each`: the same kind of value, new in Qe, or the same value negated."""
    if there.op is NEGATION.get(each.op) and _equal(each.rhs, there.rhs, context):
        return True
    same_kind = _kind(each.rhs) is not None and _kind(each.rhs) == _kind(there.rhs)
    if not same_kind or isinstance(each.rhs, RelativeTime) or not other_values.holds(there):
        return False
    if isinstance(each.rhs, Text):
        return _same_phrase(each, there)
    return True


def _same_phrase(each: QuestionFilter, there: QuestionFilter) -> bool:
    if each.lhs is None or there.lhs is None:
        return each.lhs is there.lhs and each.op is there.op
    return bool(set(content_words(each.lhs.name)) & set(content_words(there.lhs.name)))


def _kind(value: Value | None) -> str | None:
    kinds = ((Text, "text"), (Number, "number"), ((TimeRange, RelativeTime, DatePart), "time"), (Choices, "list"))
    return next((kind for types, kind in kinds if isinstance(value, types)), None)


def _intent(question: QuestionSpec, enriched: QuestionSpec) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Changed and lost intents that are no filter: top-k, aggregation, grouping, distinctness, negation."""
    top_k = _top_k(question, enriched)
    direction = _direction(question, enriched)
    swapped, gone = _aggregates(question, enriched)
    changed = [each for each in (top_k if enriched.top_k is not None else None, direction, swapped) if each]
    lost = [top_k] if top_k and enriched.top_k is None else []
    lost += gone
    if question.group_by and not enriched.group_by:
        lost.append(f"per {question.group_by[0]}")
    if question.distinct and not enriched.distinct:
        lost.append("distinct")
    if question.negations and not enriched.negations:
        lost.append(question.negations[0])
    return tuple(changed), tuple(lost)


def _top_k(question: QuestionSpec, enriched: QuestionSpec) -> str | None:
    """Qu's number of first rows, with Qe's own where it has another."""
    asked = question.top_k if question.superlatives else None
    if asked is None or enriched.top_k == asked:
        return None
    return f"top {asked}" if enriched.top_k is None else f"top {asked} → top {enriched.top_k}"


def _direction(question: QuestionSpec, enriched: QuestionSpec) -> str | None:
    """The one extreme of Qu that became its opposite."""
    if not question.superlatives or not enriched.superlatives:
        return None
    ours, theirs = ({each.direction for each in spec.superlatives} for spec in (question, enriched))
    if len(ours) > 1 or len(theirs) > 1 or ours == theirs:
        return None
    return f"{question.superlatives[0].word} → {enriched.superlatives[0].word}"


def _aggregates(question: QuestionSpec, enriched: QuestionSpec) -> tuple[str | None, list[str]]:
    """The aggregates that became others, else those that are gone."""
    if not question.aggregations:
        return None, []
    gone, new = _swapped(question, enriched)
    if gone and new:
        return f"{', '.join(sorted(gone))} → {', '.join(sorted(new))}", []
    return None, sorted(gone)


def _swapped(question: QuestionSpec, enriched: QuestionSpec) -> tuple[set[str], set[str]]:
    """The aggregates that Qe lacks, and those that only Qe has."""
    funcs, there = {each.func for each in question.aggregations}, {each.func for each in enriched.aggregations}
    new = there - funcs
    defined = {func for definition in enriched.definitions for func in definition.functions}
    return funcs - there - defined - ({"MAX", "MIN"} if enriched.superlatives else set()), new


def _added(
    questions: tuple[QuestionSpec, QuestionSpec],
    restrictions: list[QuestionFilter],
    changed: tuple[tuple[QuestionFilter, QuestionFilter], ...],
    context: Context,
) -> tuple[str, ...]:
    if not restrictions:
        return ()
    question, enriched = questions
    after = [there for _, there in changed]
    known = [each.rhs for each in question.filters]
    stems = question.stems
    return tuple(
        each.span
        for each in restrictions
        if each.certain >= CERTAIN
        and each not in after
        and not any(_equal(rhs, each.rhs, context) for rhs in known)
        and not _resolves(each, question, enriched)
        and not (isinstance(each.rhs, Text) and set(content_words(each.rhs.folded)) <= stems)
    )


def _resolves(each: QuestionFilter, question: QuestionSpec, enriched: QuestionSpec) -> bool:
    """An absolute date for a relative one of Qu, and an explanation in brackets, restrict nothing new."""
    if enriched.text[: each.start].rstrip(" '\"").endswith("("):
        return True
    return isinstance(each.rhs, TimeRange) and any(isinstance(when, RelativeTime) for when in question.time_ranges)
