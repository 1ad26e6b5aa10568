"""Signals about the two sides of what is done: who gives and who gets, who refers and who is referred."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from scoring.patterns import lazy
from scoring.signals.mistakes.unmet.references import NAME, other_doer
from scoring.signals.mistakes.wording import asked, cue, shapes
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import is_name
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_SENDING = frozenset(
    map(
        stem,
        "origin orig departure source src start from pickup sender sending lender lending giver giving seller selling "
        "shipper outgoing".split(),
    )
)
_RECEIVING = frozenset(
    map(
        stem,
        "destination dest dst arrival target end to dropoff return receiver receiving recipient recip rcpt borrower "
        "borrowing buyer buying purchaser incoming".split(),
    )
)
_PAYING, _PAID = frozenset({"payer", "paying", "debtor"}), frozenset({"payee", "creditor"})
_BEATEN = frozenset({"loser", "losing"})
_WINNING = frozenset({"winner", "winning"})
_REFERRING = frozenset({"referrer", "referring", "inviter", "inviting", "recruiter", "recruiting", "introducer"})
_REFERRED = frozenset(
    {"referred", "invited", "invitee", "referee", "recruited", "recruit", "introduced", "new", "friend"}
)


class Deed(NamedTuple):
    """What is done between two sides, and the words of columns that name each of them."""

    infinitives: str
    pasts: str
    doer: frozenset[str]
    other: frozenset[str]


MOVED = Deed(
    "send|ship|lend|give|sell|dispatch|export|transfer",
    "sent|lent|gave|given|sold|dispatched|exported|transferred",
    _SENDING | _PAYING,
    _RECEIVING | _PAID,
)
_COVERED = Deed(
    "cover", "covered", frozenset({"covering", "cover", "substitute"}), frozenset({"absent", "covered", "away"})
)
_HELD = Deed(
    "hold|contain",
    "held|contained",
    frozenset("parent mix bundle kit assembly set package menu recipe container".split()),
    frozenset("component child ingredient constituent subpart".split()),
)
_AT_HOME = Deed("", "", frozenset({"home"}), frozenset({"away", "visitor", "visiting", "guest"}))
_DEEDS = (
    MOVED,
    Deed(
        "rec(?:ei|ie)ve|get|borrow|take|import",
        "rec(?:ei|ie)ved|got|borrowed|took|imported",
        _RECEIVING | _PAID,
        _SENDING | _PAYING,
    ),
    Deed(
        "buy|purchase|spend",
        "bought|purchased|spent",
        _PAYING | {"buyer", "buying", "purchaser", "to"},
        _PAID | {"seller", "selling", "from", "source", "recipient", "receiver"},
    ),
    Deed("pay", "paid", _PAYING | {"from", "sender"}, _PAID | {"to", "recipient", "receiver"}),
    Deed("call|phone|ring", "called|phoned|rang", frozenset({"caller", "calling"}), frozenset({"callee", "called"})),
    Deed(
        "refer|bring|recruit|invite|introduce", "referred|brought|recruited|invited|introduced", _REFERRING, _REFERRED
    ),
    Deed("beat|defeat|win against", "beaten|beat|defeated|won against", _WINNING, _BEATEN),
    Deed("lose to", "lost to", _BEATEN, _WINNING),
    _COVERED,
)
_AGENTS = frozenset(
    "sender caller callee payer lender giver seller shipper receiver recipient payee borrower buyer purchaser".split()
)
"""Nouns that name one side: a sender sends, a receiver receives."""
_PEOPLE = _AGENTS | frozenset("customer client person user account member patient company partner supplier".split())
"""Who may be from a town."""


@lru_cache(maxsize=4096)
def side_of(key: str, deed: Deed) -> str:
    """`doer` or `other`, as a key names a side of what is done; empty where it names none, or both.

    >>> side_of("to_depot_id", MOVED), side_of("lender_id", MOVED), side_of("depot_id", MOVED)
    ('other', 'doer', '')
    """
    words = {*key.split("_"), *identifier_words(key)}
    if deed.doer is _REFERRING and "by" in words and not words.isdisjoint(_REFERRED):
        return "doer"
    does, other = not words.isdisjoint(deed.doer), not words.isdisjoint(deed.other)
    return "" if does is other else "doer" if does else "other"


def side_of_other(case: Case) -> str | None:
    """Who does something is looked for among those to whom it is done, or the other way round.

    >>> side_of_other(case("How many bikes did Leeds lend out?", "SELECT COUNT(*) FROM loans l JOIN depots d "
    ...     "ON d.id = l.borrowing_depot_id WHERE d.name = 'Leeds'"))
    'did leeds lend: borrowing_depot_id'
    >>> side_of_other(case("Which members referred a friend?", "SELECT m.name FROM members m JOIN referrals r "
    ...     "ON r.referred_member_id = m.id"))
    'which members referred: referred_member_id'
    """
    return _named_side(case) or _answering_side(case) or _named_by_other(case)


_BOTH_WAYS = lazy(r"\b(?:both|either) (?:directions?|ways?)\b|\bvice versa\b|\bthe other way (?:round|around)\b")


def _named_side(case: Case) -> str | None:
    """A row that the question names on one side is named by the key of the other side."""
    rows = [shape.words for shape in shapes(case, ShapeKind.ROW_NAMED)]
    text = asked(case)
    if not rows or _BOTH_WAYS.search(text):
        return None
    for key, value, column in rows:
        if value not in text or any(other != key and value == same for other, same, _ in rows):
            continue
        named = re.sub(rf"\b{re.escape(value)}\b", NAME, text)
        for said, deed, side in _sides_of(named, homely=_is_homely(key, column)):
            if {side, side_of(key, deed)} == {"doer", "other"}:
                return f"{said.replace(NAME, value)}: {key}"
        better = other_doer(named, key, case)
        if better is not None:
            return f"{value} by {key}, not {better}"
    return _way_turned(rows, text)


def _is_homely(key: str, column: str) -> bool:
    """Whether a condition may be on where a person lives: the town of a buyer."""
    words = identifier_words(key)
    return not is_name(column) and not _PEOPLE.isdisjoint(words)


def _way_turned(rows: list[tuple[str, ...]], text: str) -> str | None:
    """A way from one named place to another is looked for the other way round."""
    for start, first, _ in rows:
        for end, last, _ in rows:
            if side_of(start, MOVED) == "other" and side_of(end, MOVED) == "doer":
                way = _way_of(first, last, text)
                if way is not None and _way_of(last, first, text) is None:
                    return f"{way}: {start} and {end}"
    return None


def _way_of(first: str, last: str, text: str) -> str | None:
    """How a text names the way from one place to another."""
    way = re.search(rf"\b{re.escape(first)} ?(?:to|->|→|–|=>) ?{re.escape(last)}\b", text)
    return way.group() if way is not None else None


def _sides_of(text: str, *, homely: bool) -> Iterator[tuple[str, Deed, str]]:
    """What a text says that a named one does, or that is done to it."""
    for deed in _DEEDS:
        does, suffers = _of_named(deed)
        done, borne = does.search(text), suffers.search(text)
        if done is not None:
            yield done.group(), deed, "doer"
        if borne is not None:
            yield borne.group(), deed, "other"
    ways = list(_WAY.matches(text))
    way = ways[0] if len(ways) == 1 else None
    if way is not None and not homely and _MOVES.search(text[: way.start()]) is not None:
        yield way.group(), MOVED, "doer" if way[1] in ("from", "out of") else "other"
    for pattern, deed, side in _STANDING:
        found = pattern.search(text)
        if found is not None:
            yield found.group(), deed, side


@lru_cache(maxsize=64)
def _of_named(deed: Deed) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """How a text says that the named one does something, and how that it is done to it."""
    does = (
        rf"\b(?:did|does|do|has|have|had) {NAME}(?:'s \w+)? (?:\w+ )?(?:{deed.infinitives}|{deed.pasts})\b"
        rf"|(?<!was )(?<!were )(?<!is )(?<!got )\b{NAME}(?: has| have|'s)? (?:{deed.pasts})\b"
        rf"|\b(?:{deed.pasts})(?: in| out)? by {NAME}\b"
    )
    suffers = (
        rf"\b(?:who|which \w+)(?: has| have)? (?:{deed.pasts})(?: (?:\w+ )?for)? (?:the \w+ )?'?{NAME}\b(?!'s)"
        rf"|\b(?:was|were|is|got) {NAME} (?:\w+ )?(?:{deed.pasts})\b"
        rf"|\b{NAME} (?:was|were|got|has been) (?:{deed.pasts})\b"
    )
    covers = rf"|\bcover(?:ed|ing|s)? (?:\w+ ){{0,2}}?for {NAME}\b" if deed is _COVERED else ""
    return re.compile(does), re.compile(suffers + covers)


_WAY = cue(NAME, rf"\b(from|out of|to|into) {NAME}\b")
_INTO = cue(
    NAME,
    r"\b(?:what(?:'?s| is| are| goes)? in(?:to)?|go(?:es)? into|(?:components|parts|ingredients|contents) of|made of)"
    rf" (?:the |an? |our )?(?:\w+ )?'?{NAME}\b",
)
_MATCHES = rf"(?:games?|match(?:es)?|fixtures?|wins?|losses|draws?) (?:of|for|by) {NAME}\b"
_STANDING = (
    (_INTO, _HELD, "doer"),
    (cue(NAME, rf"\b(?:leav|left|depart|start|began|beginn)(?:s|ed|ing)? (?:from |at |in )?{NAME}\b"), MOVED, "doer"),
    (cue(NAME, rf"\b(?:end|arriv|finish|return)(?:s|es|ed|ing)? (?:at|in|to) {NAME}\b"), MOVED, "other"),
    (cue(NAME, rf"\bhome {_MATCHES}"), _AT_HOME, "doer"),
    (cue(NAME, rf"\baway {_MATCHES}"), _AT_HOME, "other"),
)
"""Where a text says that the named one stands."""
_MOVES = cue(
    "mov sen t went go ship bought sold borrow lent recei recie -> mail message letter parcel pay call crate box",
    r"\b(?:mov\w+|e?mails?|messages?|letters?|parcels?|payments?|calls?|crates?|boxes|sent|send|went|go(?:es|ing)?|ship\w*|transfer\w*|bought|buy\w*|sold|sell|borrow\w*|lent|lend"
    r"|rec(?:ei|ie)v\w+|flew|fly|flights?|trips?|rides?|loads?|pallets?|deliver\w*|gave|give|got|get)\b",
)
_ANSWERED = (
    "(?:who|which [a-z]+(?: [a-z]+)?|(?:[a-z]+ )?[a-z]+ (?:who|that|which))"
    "(?: have| has|'ve|'s| also| ever| never| not| already| actually)*"
)
_LISTED = r"^(?:(?:what|list|show|find|name|give me|top \d+|\d+|the|all|our|me|please|pls)\b|[ ,:])*"
_EACH = r"(?:each|every)(?: [a-z]+){1,4}?"
_OF_EACH = cue("each every which what", r"\b(from|out of|to|into) (?:each|every|which|what)\b")


def _answering_side(case: Case) -> str | None:
    """Those who do something are asked for, and those to whom it is done are shown."""
    keys, text = _keys_of_answer(case), asked(case)
    if not keys or case.sql.set_operations or _BOTH_WAYS.search(text):
        return None
    agents = _AGENTS.intersection(identifier_words(keys[0]))
    if not agents.isdisjoint(map(stem, re.findall(r"[a-z]+", text))):
        return None
    found = _asked_of_others(keys, text, case) or _other_way(keys, text) or _noun_of_other(keys, text, case)
    return f"{found}: {keys[0]}" if found is not None else None


def _asked_of_others(keys: list[str], text: str, case: Case) -> str | None:
    """What is asked for as done by those who are shown, and is done to them."""
    referrals = _REFERRALS.search(case.written) is not None
    for deed in _DEEDS if referrals else [each for each in _DEEDS if each.doer is not _REFERRING]:
        said = _asked_doer(text, deed) if side_of(keys[0], deed) == "other" and _agree(keys, deed) else None
        if said is not None:
            return said
    return None


_NOUNS = tuple(
    (frozenset({noun}), frozenset(others.split()))
    for noun, others in (
        ("seller", "buyer"),
        ("sender", "recipient receiver addressee"),
        ("lender", "borrower"),
        ("giver", "recipient receiver"),
        ("caller", "callee"),
        ("payer", "payee"),
        ("winner", "loser"),
    )
)


def _noun_of_other(keys: list[str], text: str, case: Case) -> str | None:
    """The one noun of two that a text says, where the rows of the answer are those of the other: sellers by buyer."""
    said = set(map(stem, re.findall(r"(?<!best )(?<!best-)\b[a-z]+", text)))
    read = {word for column in case.sql.columns for word in identifier_words(column.name)}
    for one, other in (*_NOUNS, *((other, one) for one, other in _NOUNS)):
        kept = all(other.intersection(identifier_words(key)) for key in keys)
        if kept and one & said and other.isdisjoint(said) and one.isdisjoint(read):
            return min(one & said)
    return None


def _other_way(keys: list[str], text: str) -> str | None:
    """The words that ask for what leaves each thing, where the SQL shows where it arrives, or the reverse."""
    way, side = _OF_EACH.search(text), side_of(keys[0], MOVED)
    if way is None or not side or not _agree(keys, MOVED):
        return None
    return way.group() if (side == "other") is (way[1] in ("from", "out of")) else None


_REFERRALS = lazy(r"referr|referee|invit|recruit|introduc", re.IGNORECASE)


def _agree(keys: list[str], deed: Deed) -> bool:
    """Whether all keys name the same side."""
    return len({side_of(key, deed) for key in keys}) == 1


def _keys_of_answer(case: Case) -> list[str]:
    """The keys that name the rows of the answer. If there are none, the only key of a side that joins tables."""
    keys = [shape.words[0] for shape in shapes(case, ShapeKind.ANSWER_ROLE)]
    if keys or case.sql.subqueries:
        return keys
    joined = {column.name for join in case.sql.joins for pair in join.pairs for column in pair}
    named = {shape.words[0] for shape in shapes(case, ShapeKind.ROW_NAMED)}
    sided = sorted(each for each in joined if side_of(each, MOVED))
    return sided if len(sided) == 1 and named.isdisjoint(sided) else []


def _asked_doer(text: str, deed: Deed) -> str | None:
    """What a text says that those do who are asked for."""
    passive, *active = _of_asked(deed)
    if passive.search(text) is not None:
        return None
    found = next((match for each in active if (match := each.search(text)) is not None), None)
    return found[1].strip() if found is not None else None


_GOT_PER = (
    r"\b(rec(?:ei|ie)ved per (?:depot|warehouse|branch|site|store|shop|station|garage|hub|location)"
    r"|(?:received|borrowed|bought) per (?:member|player|person|head))\b"
)
_NOTHING = r"(?!)"


@lru_cache(maxsize=64)
def _of_asked(deed: Deed) -> tuple[re.Pattern[str], ...]:
    """How a text says that something is done by somebody else, and how that those do it who are asked for."""
    ings = "|".join(f"{verb.removesuffix('e')}t?ing" for verb in deed.infinitives.split("|") if verb.isalpha())
    passive = rf"\b(?:{deed.pasts})(?: in)? by\b|\b(?:was|were|been|being|got) (?:{deed.pasts})\b"
    active = (
        rf"{_LISTED}({_ANSWERED} (?:{deed.pasts}|(?:{deed.infinitives})s?)\b)(?! (?:by|to (?:them|us)|from)\b)",
        rf"\b((?:did|does|do|has|have) (?:{_EACH}) (?:{deed.infinitives}|{deed.pasts})\b)",
        rf"(?<!than )\b(they(?: have|'ve|ve)? (?:{deed.pasts}))\b",
        rf"\bby ((?:number|amount|total|count|how many)(?: of)? [a-z]+ (?:{deed.pasts}))\b(?! (?:by|to|from))",
        _GOT_PER if deed.doer >= _RECEIVING else _NOTHING,
        rf"\beach [a-z]+ (?:earn\w*|ma[dk]e|spen[dt]\w*|pa(?:id|y)) (by \w*(?:{ings}))\b",
    )
    return tuple(re.compile(each) for each in (passive, *active))


def _named_by_other(case: Case) -> str | None:
    """What the SQL itself calls one side is grouped by the key of the other: `lent AS (… GROUP BY borrower_id)`."""
    for key in case.sql.group_by:
        name = key.block.rpartition("cte:")[2] if "cte:" in key.block else ""
        deed = next((each for each in _DEEDS if re.fullmatch(each.pasts, name)), None)
        column = key.operand.columns[0].name if len(key.operand.columns) == 1 else ""
        if deed is not None and side_of(column, deed) == "other":
            return f"{name}: by {column}"
    return None
