"""Writes pages from their templates. Whatever an agent wrote is shown as text."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import quote_plus

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from scoring import EVALUATOR_VERSION
from scoring.rules import Tier
from service import console
from service.api.visits import current_visit, masked
from service.console.answer.unseen_characters import marked_page

SAFE_HEADERS = {
    # no inline scripts, no resources from other sites, no framing by other sites
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    # without a referrer, browsers call the origin of our own forms null
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_pages = Environment(
    loader=PackageLoader(console.__name__),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


# a page has hundreds of links with the same few values
_quoted = lru_cache(maxsize=1024)(quote_plus)


def link(path: str, given: Mapping[str, object], **changed: object) -> str:
    """The address of a page with the parameters `given`, of which some are changed or, with `None`, left out.

    >>> link("/console", {"tenant": "a b", "agent": "c"}, agent=None)
    '/console?tenant=a+b'
    """
    query = {name: value for name, value in {**given, **changed}.items() if value not in {None, ""}}
    if not query:
        return path
    return f"{path}?{'&'.join(f'{_quoted(name)}={_quoted(str(value))}' for name, value in query.items())}"


_NO_VALUE = Markup('<span class="none">–</span>')


def number(value: float | None, digits: int = 1) -> str:
    """A number with so many decimals, or a dash.

    >>> number(72.25, 0), number(None)
    ('72', Markup('<span class="none">–</span>'))
    """
    return _NO_VALUE if value is None else f"{value:.{digits}f}"


def share(value: float | None) -> str:
    """A share in whole percent, or a dash.

    >>> share(0.667)
    '67 %'
    """
    return _NO_VALUE if value is None else f"{value * 100:.0f} %"


def moment(time: datetime | str, form: str = "%Y-%m-%d %H:%M") -> Markup:
    """An element with a time in UTC: the script of the console writes it in the reader's zone.

    >>> moment("2026-03-02T01:30:15+02:00")
    Markup('<time datetime="2026-03-01T23:30:15+00:00">2026-03-01 23:30 UTC</time>')
    """
    said = datetime.fromisoformat(time) if isinstance(time, str) else time
    utc = said.astimezone(UTC) if said.tzinfo else said.replace(tzinfo=UTC)
    return Markup('<time datetime="{}">{} UTC</time>').format(utc.isoformat(), utc.strftime(form))


def with_moment(words: str, time: datetime) -> Markup:
    """Words that name a time, to the minute in UTC, with the element of that time.

    >>> with_moment("since <2026-03-01 23:30 UTC>", datetime(2026, 3, 1, 23, 30, tzinfo=UTC))[:30]
    Markup('since &lt;<time datetime="2026')
    """
    element = moment(time)
    before, at, after = words.partition(element.striptags())
    return Markup("{}{}{}").format(before, element if at else "", after)


def length_of(seconds: float) -> str:
    """A length of time in one unit.

    >>> [length_of(each) for each in (0.4, 30, 200, 11_000, 400_000)]
    ['0.4 s', '30 s', '3 min', '3 h', '5 days']
    """
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 1 else f"{seconds:.0f} s"
    if seconds < 5_400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3_600:.0f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"


def ago(length: timedelta) -> str:
    """How long ago something was, in one unit.

    >>> [ago(timedelta(seconds=each)) for each in (-5, 30, 200, 11_000, 400_000)]
    ['just now', 'just now', '3 min ago', '3 h ago', '5 days ago']
    """
    seconds = length.total_seconds()
    return "just now" if seconds < 60 else f"{length_of(seconds)} ago"


_ALPHABETS = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"})
"""Alphabets with letters that look alike."""


def is_of_two_alphabets(name: str) -> bool:
    """Whether a name mixes letters of alphabets that look alike, so that it may pass for another name.

    >>> is_of_two_alphabets("crumb"), is_of_two_alphabets("crum" + chr(0x42C))
    (False, True)
    """
    if name.isascii():
        return False
    found = {unicodedata.name(each, "").partition(" ")[0] for each in name if each.isalpha()}
    return len(found & _ALPHABETS) > 1


_LONGEST_NAME = 32


def cut(name: object, *, in_link: bool = False) -> object:
    """A name for the content of an element. A long one is cut at the width of its place, and whole on focus.

    Outside a link it can be focused itself.

    >>> cut("crumb"), cut("a" * 33, in_link=True)[:24]
    ('crumb', Markup('<span class="cut" title='))
    """
    if not isinstance(name, str) or len(name) <= _LONGEST_NAME:
        return name
    focus = Markup() if in_link else Markup(' tabindex="0"')
    return Markup('<span class="cut"{} title="{}">{}</span>').format(focus, name, name)


_FILTERS: dict[str, Any] = {"cut": cut, "moment": moment, "with_moment": with_moment, "length_of": length_of}
_pages.filters.update(_FILTERS)
_pages.tests["of_two_alphabets"] = is_of_two_alphabets  # pyright: ignore[reportArgumentType] Jinja types its tests by its own
_ACTIONS = {each.value: each.action for each in Tier}
"""What to do at each tier."""
_pages.globals |= {"actions": _ACTIONS, "evaluator": EVALUATOR_VERSION, "link": link, "number": number, "share": share}  # pyright: ignore[reportAttributeAccessIssue] Jinja types its globals by its own


def page(
    name: str,
    values: Mapping[str, object],
    *,
    carried: Mapping[str, object] | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """A page. The links in its head keep the parameters `carried`.

    Every template has the `visit`, and its `csrf`: a form that POSTs sends it as a hidden field of that name.
    """
    visit = current_visit()
    csrf = masked(visit.csrf)
    text = _pages.get_template(name).render({"carried": carried or {}, "csrf": csrf, "visit": visit, **values})
    return HTMLResponse(marked_page(text), status, headers={**(headers or {}), **SAFE_HEADERS})


def style_sheet() -> str:
    """The style sheet of all pages."""
    return _pages.get_template("style.css").render()
