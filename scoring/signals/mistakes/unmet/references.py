"""Signals about one that is taken for another: a row for the one it refers to, a writer for the reviewer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scoring.signals.mistakes.wording import asked, cue, shapes
from scoring.specification import Column, Operand, SubqueryRole
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import is_name, is_own_key, key_stems
from scoring.sql.shapes.roles import ABOVE
from scoring.verdict import Case
from scoring.words import identifier_words

_OLD = frozenset("original old older source src previous prev predecessor former earlier retired".split())
_NEW = frozenset("new newer replacement successor rewash recast copy next later".split())
_BACK = frozenset("of from original source previous prev predecessor".split())
_ON = frozenset("replaced superseded succeeded successor replacement next into".split())
_BOSSES = frozenset({"manager", "mgr", "boss", "supervisor", "superior"})
_HEADS = ABOVE | {"director", "owner", "president", "executive"}


def reference_reversed(case: Case) -> str | None:
    """The row that holds a reference is taken for the one that it refers to.

    The manager of a pilot is counted for each pilot, and is one at most; a pilot is shown under the name of a manager.

    >>> reference_reversed(case("How many pilots does each captain lead?", "SELECT c.name, COUNT(p.id) FROM pilots p "
    ...     "JOIN pilots c ON c.captain_id = p.id GROUP BY c.id, c.name"))
    'c.captain_id = p.id: at most one for each'
    """
    uses = shapes(case, ShapeKind.SELF_USE)
    if not uses:
        return _held_against_reports(case)
    found = (
        _counted_once(uses)
        or _named_otherwise(uses)
        or _other_is_named(uses, asked(case))
        or _other_is_dated(uses, asked(case))
    )
    return f"{uses[0].text}: {found}" if found else None


_THAN_BOSS = cue(
    "than", r"\bthan (?:their|his|her) (?:own |direct |line )?(?:boss|manager|supervisor|superior|team lead)\b"
)
_REPORTS = re.compile(
    r"\bfrom\s+[\w.]+\s+(?:as\s+)?(?P<inner>\w+)\s+where\s+(?P=inner)\.(?:manager|mgr|boss|supervisor|superior"
    r"|reports_to)\w*\s*=\s*\w+\.\w+",
    re.IGNORECASE,
)


def _held_against_reports(case: Case) -> str | None:
    """Who is compared with their boss, and a subquery reads those whose boss they are.

    >>> _held_against_reports(case("Who earns more than their boss?", "SELECT a.name FROM crew a WHERE a.pay > "
    ...     "(SELECT MIN(b.pay) FROM crew b WHERE b.boss_id = a.id)"))
    'FROM crew b WHERE b.boss_id = a.id: their reports'
    """
    found = _REPORTS.search(case.written) if _THAN_BOSS.search(case.asked) else None
    return f"{' '.join(found.group().split())}: their reports" if found is not None else None


def _of(uses: Sequence[Shape], side: str, use: str) -> list[Shape]:
    return [each for each in uses if each.words[1] == side and each.words[2] == use]


def _counted_once(uses: Sequence[Shape]) -> str | None:
    """Rows that are referred to are counted for each row that refers: there is one at most."""
    grouped = [each for each in _of(uses, "child", "grouped") if each.number or is_name(each.words[3])]
    if not grouped or _of(uses, "holder", "grouped"):
        return None
    all_rows = any(each.number for each in grouped) and _of(uses, "all", "counted")
    return "at most one for each" if _of(uses, "holder", "counted") or all_rows else None


def _named_otherwise(uses: Sequence[Shape]) -> str | None:
    """One of the two rows is shown under a name of the other."""
    key = _key_words(uses)
    for side in ("child", "holder"):
        odd = _odd_names(key, side)
        for each in _of(uses, side, "shown"):
            column, label = each.words[3:]
            named = odd & (set(identifier_words(label)) - set(identifier_words(column)))
            if named and not (named <= ABOVE and _heads_above(uses)):
                return f"{column} AS {label}"
    return None


def _odd_names(key: set[str], side: str) -> frozenset[str]:
    """The words that name the other one of two rows, as the key says it that links them."""
    if not key.isdisjoint(_ON):
        return _NEW if side == "child" else _OLD
    if not key.isdisjoint(ABOVE) or {"report", "to"} <= key:
        heads = ABOVE & (key if key.isdisjoint(_BOSSES | {"report"}) else key | _BOSSES)
        return heads if side == "child" else frozenset()
    if key.isdisjoint(_BACK):
        return frozenset()
    return _OLD if side == "child" else _NEW


def _key_words(uses: Sequence[Shape]) -> set[str]:
    key = uses[0].words[0]
    return {*identifier_words(key), *key.split("_")}


def _heads_above(uses: Sequence[Shape]) -> bool:
    """Whether the row that is referred to is itself shown as somebody above: the director of a manager."""
    return any(not _HEADS.isdisjoint(identifier_words(each.words[4])) for each in _of(uses, "holder", "shown"))


_LEADS = (
    "mentor|manage|supervise|lead|coach|train|oversee|refer|sponsor|bring in|bring|recruit|invite|introduce|line manage"
)
_LED = (
    "mentored|managed|supervised|led|coached|trained|overseen|referred|sponsored|brought in|recruited|invited"
    "|introduced"
)
_ROLES = "boss|manager|line manager|supervisor|mentor|lead|leader|coach|captain|head|superior"
_UNDER = "(?:direct )?reports?|team|mentees?|people|staff|subordinates?|apprentices?|referrals?"


def _other_is_named(uses: Sequence[Shape], text: str) -> str | None:
    """Those under somebody are asked for, and those above him are found, or the other way round."""
    low, high = _of(uses, "child", "tested"), _of(uses, "holder", "tested")
    key = _key_words(uses)
    if bool(low) is bool(high):
        return None
    name = re.escape((low or high)[0].words[4])
    if "replaced" in key and high:
        return _replacer_is_named(name, text)
    if key.isdisjoint(ABOVE | {"by", "to", "referrer", "inviter", "recruiter"}):
        return None
    under = re.search(
        rf"\b(?:do|does|did|has|have|is) {name} (?:{_LEADS}|{_LED}|\w+ing)\b|\breport\w*(?: \w+)? (?:in)?to {name}\b"
        rf"|\b(?:{_LED}) by {name}\b|\b{name}(?:'s|s'|') (?:{_UNDER})\b|\b(?:under|below) {name}\b"
        rf"|\b(?:{_UNDER}|sub-?\w{{4,}}|children|trainees) (?:of|in) {name}\b",
        text,
    )
    above = re.search(
        rf"\b{name}(?:'s|s'|') (?:own |direct )?(?:{_ROLES})\b|\b(?:{_ROLES}) (?:of|for) {name}\b"
        rf"|\bwho (?:{'|'.join(f'{verb}s' for verb in _LEADS.split('|'))}|{_LED}) {name}\b|\bdoes {name} report\b",
        text,
    )
    found = under if low and above is None else above if high and under is None else None
    return found.group() if found is not None else None


def _replacer_is_named(name: str, text: str) -> str | None:
    """What replaced a named thing is asked for, and the named one is found among what replaces others."""
    found = re.search(rf"\b(?:who|which \w+|what) replaced (?:the )?(?:\w+ )?{name}\b", text)
    return found.group() if found is not None else None


_THEIRS = cue(
    "under report subordinate mentee apprentice how",
    r"\b(?:under (?:them|him|her)|(?:direct )?reports|subordinates|mentees|apprentices) (?:\w+ )?(?:whose|who|that|were"
    r"|was|have|did we|did|got|joined|started)\b|\bhow many of (?:their|his|her) (?:own )?(?:direct )?(?:reports"
    r"|people|staff|mentees|subordinates|team)\b",
)


def _other_is_dated(uses: Sequence[Shape], text: str) -> str | None:
    """A time of those under somebody is asked for, and the time of those above them is bounded."""
    if not _of(uses, "holder", "grouped") or _of(uses, "child", "bounded") or _of(uses, "child", "grouped"):
        return None
    bounded, said = _of(uses, "holder", "bounded"), _THEIRS.search(text)
    return f"{bounded[0].words[3]} of the other row" if bounded and said is not None else None


NAME = "xnamex"
"""What stands in a text for who is named in the SQL."""
_BY_VERB = cue(
    NAME,
    rf"\b(?:has|have|had|did|does) {NAME} ([a-z]{{4,}})\b|\b([a-z]{{4,}})(?: in| up)? by {NAME}\b"
    rf"|\b(assigned) to {NAME}\b",
)
_DOERS = tuple(
    (verb, frozenset(nouns.split()))
    for verb, nouns in (
        ("report", "reporter"),
        ("creat", "creator author"),
        ("approv", "approver"),
        ("review", "reviewer"),
        ("edit", "editor"),
        ("request", "requester requestor"),
        ("translat", "translator"),
        ("proofread", "proofreader"),
        ("assign", "assignee assigned"),
    )
)
"""Verbs, and who does them; of `assign`, to whom."""


def other_doer(text: str, key: str, case: Case) -> str | None:
    """The noun of who does what a named one does, where the SQL names him by that of another.

    >>> other_doer(f"texts proofread by {NAME}", "translator_id", case("Texts", "SELECT id FROM texts"))
    'proofreader'
    """
    found = _BY_VERB.search(text)
    verb = next(filter(None, found.groups()), "") if found is not None else ""
    words = set(key.split("_"))
    if not verb or any(word.startswith(verb[:_STEM]) for word in words):
        return None
    doers = next((nouns for start, nouns in _DOERS if verb.startswith(start)), None)
    if doers is not None and words.isdisjoint(doers) and not words.isdisjoint(_ALL_DOERS):
        return min(doers)
    doer = re.compile(rf"{verb.removesuffix('ed').removesuffix('e')}(?:e?r|or|ing)(?:_|$)")
    return next(filter(doer.match, sorted({each.name for each in case.sql.columns})), None)


_ALL_DOERS = frozenset[str]().union(*(nouns for _, nouns in _DOERS))
_STEM = 5
"""Letters that a verb and its doer share."""


def key_among_others(case: Case) -> str | None:
    """A key is sought among the keys of other things, though their rows hold such a key.

    >>> key_among_others(case("Pilots without a kite", "SELECT p.name FROM pilots p JOIN kites k ON k.pilot_id = "
    ...     "p.pilot_id WHERE p.pilot_id NOT IN (SELECT kite_id FROM kites WHERE kind = 'box')"))
    'pilot_id among kites.kite_id beside kites.pilot_id'
    """
    for each in case.sql.subqueries:
        if each.role not in (SubqueryRole.IN, SubqueryRole.NOT_IN) or each.key is None:
            continue
        sought, found = _plain(each.key), _shown_alone(each.block, case)
        if sought is None or found is None or found.table == sought.table or key_stems(sought.name) is None:
            continue
        better = Column(sought.name, found.table)
        if found.name != sought.name and is_own_key(found) and better in case.sql.columns:
            return f"{sought.name} among {found.table}.{found.name} beside {found.table}.{sought.name}"
    return None


def _plain(operand: Operand) -> Column | None:
    plain = operand.func is None and [column.name for column in operand.columns] == [operand.name]
    return operand.columns[0] if plain else None


def _shown_alone(block: str, case: Case) -> Column | None:
    shown = [each.operand for each in case.sql.projections if each.block == block]
    return _plain(shown[0]) if len(shown) == 1 else None
