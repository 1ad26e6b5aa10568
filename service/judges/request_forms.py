"""How a model is asked: the protocol of its server, and the parameters that the server accepts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit, urlunsplit

REASONING_LIMIT = 8
"""How many times the usual limit a reply may have from a model that reasons before it replies."""
CHAT, RESPONSES = "/chat/completions", "/responses"
"""The two protocols, by how their URLs end."""
_FORMATS = ("json_schema", "json_object", "text")
"""How a reply in JSON is requested, strictest first; a server that refuses a format is sent the next one."""
_FORMAT_PARAMETERS = frozenset({"response_format", "text"})
"""What requests a format, in either protocol."""
_FORMAT_NAMES = ("response_format", "json_schema", "json_object", "json schema", "structured output", "grammar")
_REFUSED = re.compile(
    r"\b(?:un(?:supported|known|recogni[sz]ed|available|expected|permitted|able)"
    r"|not\b|only\b|must be|invalid|fail|extra)"
)
"""How servers say that they do not support a request."""
_TOO_LONG = re.compile(
    r"context (?:length|window|size)|max_model_len|\btoo large|at most \d+ (?:completion |output )?tokens"
)
"""How servers say that the prompt and the longest reply together are too long for the model."""
_NO_INSTRUCTIONS = re.compile(
    r"\b(?:system|developer)['\"`]? ?(?:roles?|messages?|prompts?|instructions?)\b|['\"`]system['\"`]"
)
"""What servers name that take no message of the role system."""
_LIMITS: Mapping[str, str | None] = {"max_tokens": "max_completion_tokens"}
"""The parameter that limits a reply, and its name on servers that refuse that one."""


def endpoint_url(base_url: str, path: str) -> str:
    """The URL of an endpoint. A query of the base URL stays, and a base URL may name an endpoint itself.

    >>> endpoint_url("https://models.example/v1/", CHAT)
    'https://models.example/v1/chat/completions'
    >>> endpoint_url("https://a.example/openai/deployments/d?api-version=2024-10-21", CHAT)
    'https://a.example/openai/deployments/d/chat/completions?api-version=2024-10-21'
    >>> endpoint_url("https://models.example/v1/responses", CHAT)
    'https://models.example/v1/responses'
    """
    parts = urlsplit(base_url)
    root = parts.path.rstrip("/")
    if not (path == CHAT and root.endswith((CHAT, RESPONSES))):
        root = root.removesuffix(CHAT).removesuffix(RESPONSES) + path
    return urlunsplit((parts.scheme, parts.netloc, root, parts.query, ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestForm:
    """The form of requests that a server accepts, as far as is known."""

    responses: bool = False
    """Whether the server speaks the protocol of responses, not of chat completions."""
    format: int = 0
    """The place in `_FORMATS`."""
    limit: str | None = "max_tokens"
    """The parameter that limits a reply; `None` where the server refuses all."""
    left_out: frozenset[str] = frozenset()
    """Parameters that the server refuses."""
    reasons: bool = False
    """Whether the model reasons before it replies, and needs a higher limit."""
    one_message: bool = False
    """Whether the instructions stand before the data in one message, as the server takes no message of its own."""

    @classmethod
    def of(cls, url: str) -> RequestForm:
        """The form to try first at this URL."""
        responses = urlsplit(url).path.endswith(RESPONSES)
        return cls(responses=responses, limit="max_output_tokens" if responses else "max_tokens")

    def most(self, max_tokens: int) -> int:
        """Most tokens of a reply."""
        return max_tokens * REASONING_LIMIT if self.reasons else max_tokens

    def body(
        self, model: str, system: str, user: str, schema: Mapping[str, object], max_tokens: int
    ) -> dict[str, object]:
        """The body of a request."""
        body: dict[str, object] = {"model": model}
        body |= (
            {"instructions": system, "input": user, "store": False}
            if self.responses
            else {"messages": self._messages(system, user)}
        )
        body["temperature"] = 0
        if self.limit is not None:
            body[self.limit] = self.most(max_tokens)
        body |= self._format(schema)
        return {name: value for name, value in body.items() if name not in self.left_out}

    def _messages(self, system: str, user: str) -> list[dict[str, str]]:
        if self.one_message:
            return [{"role": "user", "content": f"{system}\n\n{user}"}]
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def _format(self, schema: Mapping[str, object]) -> dict[str, object]:
        name = _FORMATS[self.format]
        if name == "text":
            return {}
        if name == "json_object":
            plain = {"type": name}
            return {"text": {"format": plain}} if self.responses else {"response_format": plain}
        named: dict[str, object] = {"name": "verdict", "strict": True, "schema": schema}
        if self.responses:
            return {"text": {"format": {"type": name, **named}}}
        return {"response_format": {"type": name, "json_schema": named}}

    def without(self, said: str, parameter: str | None, sent: Mapping[str, object]) -> RequestForm | None:
        """The form without what the server refuses; `None` where its error names no parameter that can be changed."""
        if self.limit in sent and _TOO_LONG.search(said.lower()):
            return replace(self, limit=None)
        refused = _refused_parameter(said, parameter, self._changeable(sent))
        if refused is None:
            alone = "messages" in sent and not self.one_message and _NO_INSTRUCTIONS.search(said.lower()) is not None
            return replace(self, one_message=True) if alone else None
        if refused in _FORMAT_PARAMETERS:
            return replace(self, format=self.format + 1)
        if refused == self.limit:
            return replace(self, limit=_LIMITS.get(refused))
        return replace(self, left_out=self.left_out | {refused})

    def _changeable(self, sent: Mapping[str, object]) -> Sequence[str]:
        names = ("response_format", "text", "temperature", self.limit, "store")
        return [name for name in names if name in sent and name is not None]

    def notes(self) -> list[str]:
        """What differs from the form that is tried first, a sentence each."""
        said = [f"the server refuses {name}: it is left out" for name in sorted(self.left_out)]
        if self.limit not in ("max_tokens", "max_output_tokens"):
            said.append(f"replies are limited by {self.limit}" if self.limit else "replies are not limited")
        if self.one_message:
            said.append("the server takes no system message: the instructions stand before the data")
        if self.format:
            said.append(f"the server refuses json_schema: replies are requested as {_FORMATS[self.format]}")
        if self.reasons:
            said.append(f"the model reasons first: a reply may have {REASONING_LIMIT} times as many tokens")
        return said


def _refused_parameter(said: str, parameter: str | None, sent: Sequence[str]) -> str | None:
    """The sent parameter that an error names; merely mentioning one is no refusal."""
    said = said.lower()
    if _REFUSED.search(said) is None:
        return None
    root = (parameter or "").partition(".")[0]
    if root in sent:
        return root
    if any(each in said for each in _FORMAT_NAMES) and (named := _FORMAT_PARAMETERS.intersection(sent)):
        return next(iter(named))
    found = {name: place for name in sent if (place := _place(name, said)) >= 0}
    return min(found, key=found.__getitem__) if found else None


def _place(name: str, said: str) -> int:
    """Where an error names a parameter, or -1. A short name is also a word: it must stand behind a mark."""
    pattern = rf"(?:['\"`.\[]|: ){name}\b" if len(name) < 6 else rf"(?<![a-z_]){re.escape(name)}(?![a-z_])"
    found = re.search(pattern, said)
    return found.start() if found is not None else -1
