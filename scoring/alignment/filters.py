"""Stage 3: sorts the filters of both sides and derives the filter status (STEF, section 3.3 and Table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from scoring.alignment.by_parameter import met_by_parameters
from scoring.alignment.codes.of_house import met_by_codes
from scoring.alignment.contradictions import contradicts
from scoring.alignment.conventions import conventions
from scoring.alignment.implied import implied_filter
from scoring.alignment.left_out import EXCLUDING_ROLES, anti_joined_blocks
from scoring.alignment.longer_names import named_longer, told_by_groups
from scoring.alignment.matching import clashes, meets, split_name
from scoring.alignment.requirements import Requirements, is_ignored, map_sql_filter
from scoring.alignment.same_values import Context
from scoring.alignment.time_pieces import side_by_side, time_pieces
from scoring.rules import Rules
from scoring.specification import (
    FilterOrigin,
    Op,
    QuestionFilter,
    QuestionSpec,
    SqlFilter,
    SqlSpec,
)
from scoring.values import Choices
from scoring.verdict import FilterAlignment, FilterMatch, FilterStatus


def align_filters(
    wanted: Requirements, question: QuestionSpec, enriched: QuestionSpec, sql: SqlSpec, rules: Rules, context: Context
) -> FilterAlignment:
    """Every required filter is matched, missing or mismatched; every SQL filter matched, extra, benign or ignored."""
    ignored, rest = _sorted(sql.filters, rules)
    matched, unmet = met_by_codes(*_match(wanted.required, rest, sql, context), rest, rules)
    rest = _left(rest, matched)
    permitted, unused = _match(wanted.permitted, rest, sql, context) if rest else ([], [])
    matched += permitted
    rest = _left(rest, permitted)
    if sql.parameters and rest:
        supposed, unmet = met_by_parameters(unmet, rest, context)
        allowed, _ = met_by_parameters(unused, _left(rest, supposed), context)
        matched += [*supposed, *allowed]
    unmet = _without_other_names(unmet, rest, (question, sql), matched)
    rest = _left(rest, matched)
    mismatched, missing = _clashes(unmet, rest, context) if rest else ([], unmet)
    implied, excluded = _implied(_left(rest, mismatched), (question, enriched), sql, unmet)
    matched, mismatched = [*matched, *implied], [*mismatched, *excluded]
    rest = _left(rest, [*implied, *mismatched])
    benign = _excused(rest, question, rules) if rest else []
    if extra := _without(rest, benign):
        matched, contradicted, extra = _contradicted(matched, extra)
        mismatched += contradicted
    required = set(map(id, wanted.required))
    return FilterAlignment(
        matched=tuple(matched),
        missing=tuple(missing),
        mismatched=tuple(mismatched),
        extra=tuple(extra),
        benign=tuple(benign),
        ignored=(*wanted.ignored, *ignored),
        status=status(
            met=len([each for each in matched if id(each.required) in required]),
            unmet=len(missing) + len(mismatched),
            others=len(extra) + len(benign),
        ),
    )


def _sorted(filters: Sequence[SqlFilter], rules: Rules) -> tuple[list[SqlFilter], list[SqlFilter]]:
    """The SQL's filters under the tenant's names: those on ignored columns, and the others."""
    named = [map_sql_filter(each, rules) for each in filters] if rules.column_mappings else list(filters)
    ignored = [each for each in named if is_ignored(each, rules)] if rules.ignore_filters else []
    return ignored, _without(named, ignored)


def _without(filters: list[SqlFilter], taken: Sequence[SqlFilter]) -> list[SqlFilter]:
    return [each for each in filters if each not in taken] if taken else filters


def status(*, met: int, unmet: int, others: int) -> FilterStatus:
    """STEF, Table 1. Mismatches alone are not applied; nothing required and nothing present is fully applied.

    >>> status(met=1, unmet=1, others=3).value, status(met=0, unmet=1, others=0).value
    ('partially_applied', 'not_applied')
    """
    if unmet:
        return FilterStatus.PARTIALLY_APPLIED if met else FilterStatus.NOT_APPLIED
    return FilterStatus.FULLY_APPLIED_WITH_EXTRAS if others else FilterStatus.FULLY_APPLIED


def _match(
    required: Sequence[QuestionFilter], present: Sequence[SqlFilter], sql: SqlSpec, context: Context
) -> tuple[list[FilterMatch], list[QuestionFilter]]:
    matched: list[FilterMatch] = []
    unmet: list[QuestionFilter] = []
    pieces = time_pieces(present, context) if required else []
    lists: list[_List] | None = None
    for each in required:
        met_by = tuple([other for other in present if meets(each, other, context)])
        if not met_by:
            lists = _lists_asked(present, required, context) if lists is None else lists
            met_by = _by_parts(each, present, (lists, pieces), context)
        if context.excluded:
            met_by += tuple(other for other in present if _repeated(other, met_by, context))
        if met_by or (each.op is Op.NOT_EXISTS and _excludes_rows(sql)):
            matched.append(FilterMatch(each, met_by))
        else:
            unmet.append(each)
    return _with_side_by_side(matched, unmet, side_by_side(unmet, present, sql, context))


def _with_side_by_side(
    matched: list[FilterMatch], unmet: list[QuestionFilter], beside: list[FilterMatch]
) -> tuple[list[FilterMatch], list[QuestionFilter]]:
    met = {id(match.required) for match in beside}
    return [*matched, *beside], [each for each in unmet if id(each) not in met]


def _repeated(other: SqlFilter, met_by: tuple[SqlFilter, ...], context: Context) -> bool:
    """Whether a block whose rows are excluded repeats the condition."""
    if other.block not in context.excluded or other in met_by:
        return False
    return any((each.lhs, each.op, each.rhs) == (other.lhs, other.op, other.rhs) for each in met_by)


def _by_parts(
    each: QuestionFilter,
    present: Sequence[SqlFilter],
    several: tuple[Sequence[_List], Sequence[tuple[SqlFilter, tuple[SqlFilter, ...]]]],
    context: Context,
) -> tuple[SqlFilter, ...]:
    """Filters that meet it together: a time in parts, a name's words, or a list of which every member is asked for."""
    lists, pieces = several
    parts = next((both for piece, both in pieces if meets(each, piece, context)), ())
    parts = parts or split_name(each, tuple(present))
    if parts:
        return parts
    for other, members in lists:
        if any(meets(each, member, context) for member in members):
            return (other,)
    return ()


_List: TypeAlias = tuple[SqlFilter, list[SqlFilter]]
"""An IN list, and an equality for each of its members."""


def _lists_asked(present: Sequence[SqlFilter], required: Sequence[QuestionFilter], context: Context) -> list[_List]:
    """The IN lists of which every member is asked for."""
    found: list[_List] = []
    for each in present:
        if each.op is Op.IN and isinstance(each.rhs, Choices):
            members = _members_asked(each, each.rhs, required, context)
            if members is not None:
                found.append((each, members))
    return found


def _members_asked(
    each: SqlFilter, choices: Choices, required: Sequence[QuestionFilter], context: Context
) -> list[SqlFilter] | None:
    """The members of an IN list as equalities, if every one of them is asked for."""
    members: list[SqlFilter] = []
    for value in choices.members:
        member = replace(each, op=Op.EQ, rhs=value)
        if not any(meets(wanted, member, context) for wanted in required):
            return None
        members.append(member)
    return members


def _without_other_names(
    unmet: list[QuestionFilter],
    rest: list[SqlFilter],
    asked: tuple[QuestionSpec, SqlSpec],
    matched: list[FilterMatch],
) -> list[QuestionFilter]:
    """What stays unmet; names that the SQL has as longer ones or as groups are added to `matched`."""
    question, sql = asked
    found = named_longer(unmet, rest, question) if unmet and rest else []
    found = found or (told_by_groups(unmet, question, sql) if unmet and sql.group_by else [])
    matched += found
    met = {id(each.required) for each in found}
    return [each for each in unmet if id(each) not in met]


def _excludes_rows(sql: SqlSpec) -> bool:
    """Whether the SQL leaves out rows that have a counterpart: NOT IN, NOT EXISTS, EXCEPT or an anti-join."""
    if any(each.role in EXCLUDING_ROLES for each in sql.subqueries):
        return True
    if any(each.kind.startswith(("except", "minus")) for each in sql.set_operations):
        return True
    if any(join.kind == "anti" for join in sql.joins):
        return True
    return bool(anti_joined_blocks(sql))


def _left(present: list[SqlFilter], matched: Sequence[FilterMatch]) -> list[SqlFilter]:
    return _without(present, [each for match in matched for each in match.present]) if matched else present


def _implied(
    rest: Sequence[SqlFilter],
    questions: tuple[QuestionSpec, QuestionSpec],
    sql: SqlSpec,
    unmet: Sequence[QuestionFilter],
) -> tuple[list[FilterMatch], list[FilterMatch]]:
    """SQL filters that the question's words ask for though no rule read them (`female`: sex = 'F'), or exclude.

    Words of an unmet required filter imply no other filter.
    """
    asked: list[FilterMatch] = []
    excluded: list[FilterMatch] = []
    for each in rest:
        implied = implied_filter(each, questions, sql)
        if implied is not None and not any(_overlaps(implied, other) for other in unmet):
            (asked if implied.op is each.op else excluded).append(FilterMatch(implied, (each,)))
    return asked, excluded


def _overlaps(implied: QuestionFilter, other: QuestionFilter) -> bool:
    same_text = (implied.source is FilterOrigin.QUESTION) == (other.source is FilterOrigin.QUESTION)
    return same_text and other.start <= implied.start < other.start + len(other.span)


def _clashes(
    unmet: Sequence[QuestionFilter], rest: Sequence[SqlFilter], context: Context
) -> tuple[list[FilterMatch], list[QuestionFilter]]:
    mismatched: list[FilterMatch] = []
    missing: list[QuestionFilter] = []
    free = list(rest)
    for each in unmet:
        found = [other for other in free if clashes(each, other, context)]
        clash = next((other for other in found if type(other.rhs) is type(each.rhs)), found[0] if found else None)
        if clash is None:
            missing.append(each)
        else:
            free.remove(clash)
            mismatched.append(FilterMatch(each, (clash,)))
    return mismatched, missing


def _excused(rest: list[SqlFilter], question: QuestionSpec, rules: Rules) -> list[SqlFilter]:
    """The filters that the tenant's rules or a convention of most companies explain."""
    benign = _benign(rest, rules) if rules.benign_filters or rules.conventions else []
    return benign + conventions(_without(rest, benign), question.stems)


def _benign(rest: list[SqlFilter], rules: Rules) -> list[SqlFilter]:
    """The filters that are terms of a benign predicate of which the SQL has all terms."""
    there = {_predicate(each) for each in rest if each.lhs is not None}
    covered: set[_Predicate] = set()
    for benign in (*rules.benign_filters, *rules.conventions):
        terms = [map_sql_filter(term, rules) for term in benign.terms]
        keys = {_predicate(term) for term in terms}
        if keys <= there and all(term.lhs is not None for term in terms):
            covered |= keys
    return [each for each in rest if each.lhs is not None and _predicate(each) in covered]


_Predicate: TypeAlias = tuple[str, Op, object, int | None]
"""What two filters have in common that say the same of one column."""


def _predicate(each: SqlFilter) -> _Predicate:
    return each.lhs.name if each.lhs is not None else "", each.op, each.rhs, each.alternative


def _contradicted(
    matched: Sequence[FilterMatch], extra: Sequence[SqlFilter]
) -> tuple[list[FilterMatch], list[FilterMatch], list[SqlFilter]]:
    """Moves each match that an extra contradicts to the mismatched ones, together with the extra."""
    kept: list[FilterMatch] = []
    contradicted: list[FilterMatch] = []
    free = list(extra)
    for match in matched:
        against = tuple(each for each in free if contradicts(each, match.present))
        if against:
            free = [each for each in free if each not in against]
            contradicted.append(FilterMatch(match.required, (*match.present, *against)))
        else:
            kept.append(match)
    return kept, contradicted, free
