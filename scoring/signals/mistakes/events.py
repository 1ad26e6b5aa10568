"""Which event a date column records, and which one a question speaks of: paid, shipped, created …"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from scoring.patterns import lazy
from scoring.signals.mistakes.wording import cue
from scoring.values import RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words

_EVENTS = {
    "begin": "created opened placed ordered registered joined submitted purchased bought sold added signup inserted "
    "order purchase",
    "update": "updated modified changed edited",
    "pay": "paid payment settled pay",
    "issue": "issued invoiced billed issue issuing invoicing billing",
    "ship": "shipped dispatched ship shipping shipment dispatch",
    "deliver": "delivered arrived delivery deliver arrival",
    "cancel": "cancelled canceled churned cancellation",
    "close": "closed resolved completed finished solved resolution completion closing closure resolve",
    "end": "ended expired lapsed end expiry expires expiration",
    "due": "due",
    "plan": "promised scheduled planned expected estimated",
    "start": "started began start begin",
    "login": "login logged seen",
    "reply": "reply replied response responded answered answer",
    "hire": "hired hire hiring",
    "birth": "born birth birthday dob",
    "receive": "received receipt",
    "approve": "approved approval",
    "request": "requested request",
    "refund": "refunded",
    "sign": "signed signature",
    "admit": "admitted admission admit",
    "discharge": "discharged discharge",
}
_CLASS = {word: event for event, words in _EVENTS.items() for word in words.split()}
_VERBS = frozenset(
    word for word in _CLASS if word.endswith("ed") or word in {"paid", "sold", "bought", "born", "began", "seen"}
)
_WHEN = (
    r"(?:(?:yesterday|today|tomorrow)\b|(?:this|last|past|next|in|during|since|between|before|after|on|over"
    r"|within)\b(?: the)?(?: last| past| this| early| late)?"
    r" ?(?:year|yr|month|week|wk|quarter|qtr|q[1-4]|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}|\d+ |jan|feb"
    r"|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|today|yesterday))"
)
_TIMED = lazy(
    rf"(?<![-\w])(?<!not )(?<!never )(?<!yet )(?<!n't )({'|'.join(sorted(_VERBS))})(?: out| off| in full"
    rf"| back| up)? {_WHEN}"
)
_INFINITIVES = {
    "close": "close", "resolve": "close", "complete": "close", "finish": "close", "ship": "ship", "dispatch": "ship",
    "deliver": "deliver", "pay": "pay", "cancel": "cancel", "issue": "issue", "invoice": "issue", "bill": "issue",
    "hire": "hire", "refund": "refund", "approve": "approve",
}  # fmt: skip
_DONE = cue(
    "did do",
    rf"\b(?:did|do|does) (?:\w+ ){{1,3}}?({'|'.join(_INFINITIVES)})\b(?: out| off| down)?(?: [a-z]+)? {_WHEN}",
)
_PRESENT = {"start": "start", "begin": "start", "end": "end", "expire": "end", "lapse": "end"}
_COMING = cue(
    " ".join(_PRESENT), rf"(?<!fy )(?<!year )(?<!years )(?<!yr )\b({'|'.join(_PRESENT)})s? (?:on |by )?{_WHEN}"
)
_STRETCH = cue(
    "from between",
    r"\b(?:from|between) (?:the |an? )?(?:\w+ )?(\w+?)(?: date| time)? (?:to|until|till|and) (?:the |an? "
    r"|its |their )?(?:first )?(\w+?)\b",
)


_NOUNS = {"discharges": "discharge", "admissions": "admit"}
_COUNTED = cue(" ".join(_NOUNS), rf"^(?:how many|number of|count of|total|show|list)? ?\b({'|'.join(_NOUNS)})\b")


def timed_events(text: str) -> set[str]:
    """The events that a time of the question belongs to.

    >>> timed_events("invoices paid this year"), timed_events("completed orders in 2024")
    ({'pay'}, set())
    """
    found = {_CLASS[match[1]] for match in _TIMED.finditer(text)}
    found |= {_INFINITIVES[match[1]] for match in _DONE.matches(text)}
    found |= {_NOUNS[match[1]] for match in _COUNTED.matches(text)} if not found else set[str]()
    return found | {_PRESENT[match[1]] for match in _COMING.matches(text)}


def stretch(text: str) -> frozenset[str]:
    """The two events between which a time is measured.

    >>> sorted(stretch("days from shipping to delivery"))
    ['deliver', 'ship']
    """
    for match in _STRETCH.matches(text):
        found = {_CLASS.get(match[1], ""), _CLASS.get(match[2], "")}
        if "" not in found and len(found) == 2:
            return frozenset(found)
    return frozenset()


def events_named(words: Iterable[str]) -> set[str]:
    """The events that words name, with no regard to times.

    >>> sorted(events_named(["did", "we", "pay", "orders"]))
    ['pay']
    """
    return {_CLASS[word] for word in words if word in _CLASS}


@lru_cache(maxsize=16384)
def event_of(column: str) -> str | None:
    """The event whose time a column holds.

    >>> event_of("paid_at"), event_of("total")
    ('pay', None)
    """
    if column.lower() in _OF_LOGS:
        return None
    words = identifier_words(column)
    raw = column.lower().split("_")
    found = [_CLASS[word] for word in (*raw, *words) if word in _CLASS]
    return found[0] if found and is_time(column) else None


_OF_LOGS = frozenset({"logged_at", "logged_on", "logged_ts", "log_time", "log_date"})
"""When a log wrote the row, and not when somebody logged in."""


@lru_cache(maxsize=16384)
def is_time(column: str) -> bool:
    """Whether a column is named like a time.

    >>> is_time("paid_at"), is_time("order_date"), is_time("SMPDT"), is_time("total")
    (True, True, True, False)
    """
    words = identifier_words(column)
    return bool(words) and (
        words[-1] in _TIME_ENDS or words[0] == "date" or _ENDS_IN_DATE.fullmatch(words[-1]) is not None
    )


_ENDS_IN_DATE = lazy(r"[a-z]{2,6}dt")
_TIME_ENDS = frozenset("at on date time ts day timestamp dt datetime birthday dob".split())


def tested_times(case: Case) -> set[str]:
    """The columns that conditions test for a time."""
    tests = (each for each in case.sql.filters if isinstance(each.rhs, (TimeRange, RelativeTime)))
    return {each.lhs.columns[0].name for each in tests if each.lhs is not None and len(each.lhs.columns) == 1}
