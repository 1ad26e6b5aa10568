"""Reads the body of a model server's response: as chat completions and as responses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

from consumers.judging.ports import Completion, FailureCause, ModelFailed
from service.judges.server_errors import body_failure, error_text

_THOUGHT = re.compile(r"(?!\s*[{`\[]).*?</(?:think(?:ing)?|thought|reasoning)>\s*", re.DOTALL)
"""Reasoning that some servers leave in front of the reply, without its first tag where the template has written it."""


def read_completion(body: object) -> Completion:
    """The completion in a response body; raises `ModelFailed` where there is none."""
    failure = body_failure(body)
    if failure is not None:
        raise failure
    return _from_output(body) if _field(body, "output") is not None else _from_choices(body)


def has_reasoned(body: object) -> bool:
    """Whether the model spent tokens on reasoning, or left no reply."""
    message, usage = _field(_first(_field(body, "choices")), "message"), _field(body, "usage")
    details = [_field(usage, name) for name in ("completion_tokens_details", "output_tokens_details")]
    thought = any(_field(each, "reasoning_tokens") for each in details)
    text = _text(_field(message, "content")) or ""
    return thought or _thoughts(message) or "<think" in text or not text.strip()


def _thoughts(message: object) -> bool:
    return any(_field(message, name) for name in ("reasoning", "reasoning_content"))


def _from_choices(body: object) -> Completion:
    choice = _first(_field(body, "choices"))
    message, usage = _field(choice, "message"), _field(body, "usage")
    ended = _field(choice, "finish_reason")
    text = _text(_field(message, "content"))
    # some servers add which filter it was
    refused = bool(_field(message, "refusal")) or str(ended).startswith("content_filter")
    cut_short = ended == "length"
    if message is None or (text is None and not refused and not cut_short):
        raise _no_completion(body, "reasoning alone" if _thoughts(message) else "")
    return _completion(text, usage, ("prompt_tokens", "completion_tokens"), refused=refused, cut_short=cut_short)


def _from_output(body: object) -> Completion:
    parts = [part for item in _list(_field(body, "output")) for part in _list(_field(item, "content"))]
    texts = [_field(part, "text") for part in parts if _field(part, "type") == "output_text"]
    text = "".join([each for each in texts if isinstance(each, str)]) if texts else None
    why = _field(_field(body, "incomplete_details"), "reason")
    refused = why == "content_filter" or any(_field(part, "type") == "refusal" for part in parts)
    cut_short = why == "max_output_tokens"
    if text is None and not refused and not cut_short:
        raise _no_completion(body, "")
    names = ("input_tokens", "output_tokens")
    return _completion(text, _field(body, "usage"), names, refused=refused, cut_short=cut_short)


def _completion(
    text: str | None, usage: object, names: tuple[str, str], *, refused: bool, cut_short: bool
) -> Completion:
    return Completion(
        text=_THOUGHT.sub("", text, count=1) if text and "</" in text else text or "",
        tokens_in=_count(_field(usage, names[0])),
        tokens_out=_count(_field(usage, names[1])),
        refused=refused,
        cut_short=cut_short,
    )


def _no_completion(body: object, sent: str) -> ModelFailed:
    said = sent or error_text(body)
    detail = f"the model server sent something other than a completion{f': {said}' if said else ''}"
    return ModelFailed(detail, billed=True, cause=FailureCause.REPLY)


def _text(content: object) -> str | None:
    """The text of a message, whose content some gateways send in parts."""
    if isinstance(content, str):
        return content
    texts = [_field(part, "text") for part in _list(content)]
    found = [each for each in texts if isinstance(each, str)]
    return "".join(found) if found else None


def _field(value: object, name: str) -> object:
    return cast("Mapping[str, object]", value).get(name) if isinstance(value, dict) else None


def _list(value: object) -> Sequence[object]:
    return cast("Sequence[object]", value) if isinstance(value, list) else ()


def _first(value: object) -> object:
    listed = _list(value)
    return listed[0] if listed else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None
