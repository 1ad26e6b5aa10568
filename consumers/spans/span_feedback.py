"""What people say of an answer in its trace: OpenTelemetry's events of an evaluation, and scores as Langfuse has them.

Only evaluations whose name says that a person gives them are read: those of a model are no feedback.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from consumers.spans.attributes import EVALUATION, RESOURCE, SpanTable
from consumers.spans.span import Attributes, Span

_BY_PEOPLE = frozenset({"feedback", "userfeedback", "userrating", "userscore", "thumb", "thumbs", "stars", "rating"})
"""Names of evaluations that people give, in lower case and without what is no letter."""
_STARS = frozenset({"stars", "rating", "userrating"})
"""Of which the value is one to five stars."""
_UP = ("up", "thumbsup", "thumbup", "positive", "good", "like", "liked", "true", "yes")
_DOWN = ("down", "thumbsdown", "thumbdown", "negative", "bad", "dislike", "disliked", "false", "no")
_THUMBS = {**dict.fromkeys(_UP, "up"), **dict.fromkeys(_DOWN, "down")}
_GEN_AI, _LANGFUSE = "gen_ai.evaluation", "langfuse.score"
_FORMS: tuple[Mapping[str, str], ...] = (
    {
        "name": f"{_GEN_AI}.name",
        "value": f"{_GEN_AI}.score.value",
        "label": f"{_GEN_AI}.score.label",
        "comment": f"{_GEN_AI}.explanation",
    },
    {part: f"{_LANGFUSE}.{part}" for part in ("name", "value", "comment")} | {"label": f"{_LANGFUSE}.string_value"},
)
"""The attributes of an evaluation, by what they say."""
_USERS = ("user.id", "enduser.id", "langfuse.user.id")
_NO_LETTER = re.compile(r"[\W\d_]+")


def span_feedback(spans: Sequence[Span], table: SpanTable) -> list[dict[str, JsonValue]]:
    """Feedback as `POST /v1/feedback` takes it, named by its trace. The same span sent again gives the same ids."""
    return [each for span in spans for each in _of_span(span, table)]


def _of_span(span: Span, table: SpanTable) -> Iterator[dict[str, JsonValue]]:
    events = span.attributes.get(EVALUATION)
    own: list[Attributes] = [span.attributes]
    own += [each for each in events if isinstance(each, dict)] if isinstance(events, list) else []
    for place, said in enumerate(own):
        for form in _FORMS:
            opinion = _opinion({part: said.get(name) for part, name in form.items()})
            if opinion:
                id_ = f"{span.trace_id}/{span.span_id}/{place}"
                yield {**opinion, **_whose(span, table), "feedback_id": id_, "trace_id": span.trace_id}


def _opinion(said: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Thumb, stars and comment; empty where a model says it, or where it says nothing.

    >>> _opinion({"name": "user-feedback", "value": 0, "comment": "too many"})
    {'thumb': 'down', 'comment': 'too many'}
    >>> _opinion({"name": "user_rating", "value": 4}), _opinion({"name": "Relevance", "value": 1})
    ({'stars': 4}, {})
    """
    name = _letters(said.get("name"))
    if name not in _BY_PEOPLE:
        return {}
    value, comment = said.get("value"), said.get("comment")
    thumb = _THUMBS.get(_letters(said.get("label"))) or (
        _THUMBS.get(_letters(value)) if isinstance(value, str) else None
    )
    opinion: dict[str, JsonValue] = {"thumb": thumb} if thumb else _number(value, stars=name in _STARS)
    if isinstance(comment, str) and comment.strip():
        opinion["comment"] = comment[:10_000]
    return opinion


def _number(value: JsonValue, *, stars: bool) -> dict[str, JsonValue]:
    """A truth value, or −1, 0 and 1, as a thumb; whole numbers to five as stars.

    >>> _number(True, stars=False), _number(1.0, stars=True), _number(3, stars=False), _number(0.7, stars=False)
    ({'thumb': 'up'}, {'stars': 1}, {'stars': 3}, {})
    """
    if not isinstance(value, int | float) or value != value // 1:
        return {}
    if stars or value > 1:
        return {"stars": int(value)} if 1 <= value <= 5 else {}
    return {"thumb": "up" if value == 1 else "down"} if value >= -1 else {}


def _whose(span: Span, table: SpanTable) -> dict[str, JsonValue]:
    """The tenant and the user that the span names."""
    tenants = (
        span.resource.get(each.removeprefix(RESOURCE)) if each.startswith(RESOURCE) else span.attributes.get(each)
        for each in table.tenant
    )
    tenant = next((each for each in tenants if isinstance(each, str)), None)
    user = next((each for name in _USERS if isinstance(each := span.attributes.get(name), str)), None)
    return {**({"tenant": tenant} if tenant else {}), **({"user": user} if user else {})}


def _letters(value: JsonValue) -> str:
    return _NO_LETTER.sub("", value).lower() if isinstance(value, str) else ""
