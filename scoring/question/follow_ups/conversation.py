"""Reads a question in its conversation: a fragment means what the earlier turns make of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from scoring.immutable import immutable
from scoring.patterns import lazy
from scoring.query import Query, Turn, Unscored, UnscoredReason
from scoring.question.definitions import read_definitions
from scoring.question.english import ENGLISH
from scoring.question.english.follow_ups import OPENERS
from scoring.question.english.leaning import is_about_the_same, is_remark, leans
from scoring.question.follow_ups.changed_question import Meaning
from scoring.question.follow_ups.earlier import EarlierQuestion
from scoring.question.follow_ups.edits import ChangeKind
from scoring.question.follow_ups.evidence import TurnEvidence
from scoring.question.follow_ups.forms import Fragment
from scoring.question.follow_ups.fragments import read_fragment
from scoring.question.follow_ups.going_on import back_at, goes_on, is_undone, shares_conditions
from scoring.question.follow_ups.meaning import resolve
from scoring.question.prompts.finding import question_asked
from scoring.specification import SqlSpec

MOST_READ = 12
"""Most earlier turns that are read: the latest."""
_MAX_QUESTION = 2_000
"""Longest earlier question that is read, in characters."""


@immutable(kw_only=False)
class FollowUp:
    """What a fragment asks, and what its answer need not keep of the turn before."""

    fragment: str
    """The question as it was asked."""
    meaning: str
    """The question that it stands for."""
    earlier: str = ""
    """The meaning of the question before it; all questions before an open one."""
    before: SqlSpec | None = None
    """The SQL of the turn before it, where that is known."""
    free: frozenset[ChangeKind] = frozenset()
    """What may differ from `before`, by the kind of the change that says so."""
    kinds: frozenset[ChangeKind] = frozenset()
    """The kinds of its changes."""
    dropped: frozenset[str] = frozenset()
    """Stems of the words whose conditions are replaced or taken away."""
    by_enriched: bool = False
    """The enriched question gives the meaning."""
    instead: bool = False
    """The change takes the place of what was asked for."""
    is_open: bool = False
    """The change is not understood: the answer can only be seen to have lost conditions of the SQL before."""
    may_stand: bool = False
    """Of an open one: its words are a question of their own, too."""


ReadSql = Callable[[str], SqlSpec | None]
"""Reads the SQL of an earlier turn; `None` where it cannot be read."""


def follow_up(query: Query, sql: SqlSpec, read_sql: ReadSql) -> FollowUp | Unscored | None:
    """What a fragment asks; `None` for a question that stands alone, which its history does not change.

    The earlier turns give the meaning, else the enriched question; where neither does, a fragment is open after SQL
    that can be read, else `Unscored`.
    """
    turns = _answered(_spoken(query.history), sql, read_sql)
    fragment = read_fragment(query.question, follows=bool(turns))
    found = _after(turns, Turn(question=query.question), fragment, sql, read_sql, query) if turns and fragment else None
    if found is not None:
        return found
    may_stand = not (fragment.certain if fragment is not None else bool(turns) and leans(query.question))
    if fragment is not None or not may_stand:
        completed = _completed(query)
        if completed is not None:
            return FollowUp(query.question, completed, kinds=_kinds(fragment), by_enriched=True)
    found = _open(query.question, turns, read_sql, may_stand=may_stand)
    return found if found is not None or may_stand else Unscored(UnscoredReason.FOLLOW_UP_UNRESOLVED, UNRESOLVED)


def _open(question: str, turns: Sequence[Turn], read_sql: ReadSql, *, may_stand: bool) -> FollowUp | None:
    """A question after SQL that can be read; `None` without such SQL, or where it is about something else."""
    last = next((each for each in reversed(turns) if each.sql is not None), None)
    before = _read(last, read_sql) if last is not None and is_about_the_same(question) else None
    if last is None or before is None:
        return None
    earlier = "\n".join(each.question for each in turns[: turns.index(last) + 1])
    return FollowUp(question, question, earlier, before, _ALL, is_open=True, may_stand=may_stand)


_ALL = frozenset(ChangeKind) - {ChangeKind.NEGATE, ChangeKind.RESTORE}


UNRESOLVED = (
    "the question has a meaning only after an earlier one: send the earlier turns as history, each with its"
    " question and sql,"
    " or the whole question as enriched_question"
)


def _spoken(history: Sequence[Turn]) -> tuple[Turn, ...]:
    """The latest turns that ask something: no small talk, and no remark about an answer before."""
    kept: list[Turn] = []
    for each in history[-MOST_READ:]:
        answered = each.sql is not None or not any(turn.sql is not None for turn in kept)
        if _asks(each) and (answered or not is_remark(each.question)):
            kept.append(each)
    return tuple(kept)


def _answered(turns: tuple[Turn, ...], sql: SqlSpec, read_sql: ReadSql) -> tuple[Turn, ...]:
    """The turns without those at the end that got no SQL, where the answer goes on with the SQL before them."""
    place = next((place for place in range(len(turns), 0, -1) if turns[place - 1].sql is not None), 0)
    if place in (0, len(turns)):
        return turns
    before = _read(turns[place - 1], read_sql)
    return turns[:place] if before is not None and shares_conditions(before, sql) else turns


def _asks(turn: Turn) -> bool:
    if turn.sql is not None and turn.sql.strip():
        return bool(turn.question.strip())
    return (
        len(turn.question) <= _MAX_QUESTION
        and _SMALL_TALK.fullmatch(OPENERS.sub("", f"{turn.question.strip(' ?!.')}, ")) is None
    )


_SMALL_TALK = lazy(
    r"[\W_]*(?:(?:great|thanks?|thank you|ok|okay|cool|perfect|nice|good|hello|hi|hey|yes|no|right|super|very|so"
    r"|much|a lot|(?:that |it |all )?looks? (?:good|right|plausible|fine|great)|makes sense"
    r"|that'?s|is|helpful|useful|exactly|what|i|we|needed|wanted|it|interesting|awesome|excellent|wow|love|this|noted"
    r"|got it|morning|job|work|well done|sure|fine|please|hm+)[\W_]*)*",
    re.IGNORECASE,
)


State = tuple[str, SqlSpec | None]
"""The meaning of a turn and its SQL."""


def _after(
    turns: Sequence[Turn], last: Turn, fragment: Fragment, sql: SqlSpec, read_sql: ReadSql, query: Query
) -> FollowUp | None:
    """The meaning of a fragment after turns of which some may be fragments themselves."""
    first, between = _back_to_whole(turns, read_sql)
    text = question_asked(first.question)
    if text is None or len(text) > _MAX_QUESTION or _is_bare(text):
        return None
    states = [(text, _read(first, read_sql))]
    for turn, changed in between:
        found = _state_after(states, turn, changed, _read(turn, read_sql), sql, query)
        if found is None:
            return None
        states = found
    return _of_states(states, last, fragment, sql, query)


def _of_states(states: list[State], last: Turn, fragment: Fragment, sql: SqlSpec, query: Query) -> FollowUp | None:
    """The meaning of a fragment after the states of the turns before: the last one, or one that it goes back to."""
    kept = back_at(fragment, [text for text, _ in states])
    if kept is None:
        return None
    place, fragment = kept
    text, before = states[place]
    if not fragment.changes:
        return FollowUp(last.question, text, text, before)
    meaning = resolve(fragment, text, TurnEvidence(sql, before), query.occurred_at)
    return _found(last.question, fragment, meaning, text, before) if meaning is not None else None


def _state_after(
    states: list[State], turn: Turn, changed: Fragment, now: SqlSpec | None, sql: SqlSpec, query: Query
) -> list[State] | None:
    """The states after one more turn; `None` where its words are not understood and its SQL does not go on."""
    text, before = states[-1]
    if is_undone(changed) and len(states) > 1:
        return [*states[:-2], (states[-2][0], now or states[-2][1])]
    if now is None and before is not None:
        return states
    meaning = resolve(changed, text, TurnEvidence(now or SqlSpec(dialect=sql.dialect), before), query.occurred_at)
    if meaning is not None:
        return [*states, (meaning.text, now)]
    if now is None:
        return [*states, (text, now)]
    if not goes_on(turn.question, now, before):
        return None
    words = turn.question.strip(" ?!.")
    return [*states, (text if _DENYING.search(words) else EarlierQuestion(text).with_words(words), now)]


_DENYING = lazy(r"n['’]t\b|\b(?:not|no|never|none|without)\b", re.IGNORECASE)
"""Words that would deny what is added after them."""


def _back_to_whole(turns: Sequence[Turn], read_sql: ReadSql) -> tuple[Turn, list[tuple[Turn, Fragment]]]:
    """The last turn that stands alone, or the first, and the fragments after it."""
    between: list[tuple[Turn, Fragment]] = []
    place = len(turns) - 1
    while place > 0:
        turn = turns[place]
        changed = read_fragment(turn.question, follows=True)
        if changed is None and goes_on(turn.question, _read(turn, read_sql), _read(turns[place - 1], read_sql)):
            changed = Fragment((), certain=False)
        if changed is None:
            break
        between.insert(0, (turn, changed))
        place -= 1
    return turns[place], between


def _is_bare(text: str) -> bool:
    fragment = read_fragment(text, follows=False)
    return (fragment is not None and fragment.certain) or not any(character.isalpha() for character in text)


def _found(said: str, fragment: Fragment, meaning: Meaning, earlier: str, before: SqlSpec | None) -> FollowUp:
    return FollowUp(
        said,
        meaning.text,
        earlier,
        before,
        frozenset(meaning.free),
        _kinds(fragment),
        frozenset(meaning.dropped),
        instead=fragment.instead,
    )


def _kinds(fragment: Fragment | None) -> frozenset[ChangeKind]:
    return frozenset([each.kind for each in fragment.changes]) if fragment is not None else frozenset()


def _read(turn: Turn, read_sql: ReadSql) -> SqlSpec | None:
    return read_sql(turn.sql) if turn.sql is not None and turn.sql.strip() else None


def _completed(query: Query) -> str | None:
    """The enriched question without its definitions, where it is no fragment."""
    enriched = query.enriched_question
    if enriched is None or len(enriched) > _MAX_QUESTION or enriched.strip() == query.question.strip():
        return None
    _, blanks = read_definitions(enriched, ENGLISH)
    kept, end = "", 0
    for start, stop in blanks:
        kept, end = kept + enriched[end:start], stop
    kept = " ".join(f"{kept}{enriched[end:]}".split()).strip(" ();,")
    if not kept.strip() or _is_bare(kept):
        return None
    return kept
