"""Reads a model's reply strictly: only an offered verdict counts."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import orjson

from consumers.judging.prompting import Prompt
from consumers.judging.reply_schema import OFFERED_CODES
from consumers.judging.ruled_prompts import rules_applied
from consumers.wire.texts import json_type, shorten
from scoring.judging.combination import RIGHT
from scoring.judging.proposals import LONGEST, MOST_PROPOSALS, Proposal, Scalar
from scoring.query import Unscored, UnscoredReason
from scoring.reasons import ReasonCode
from scoring.verdict import Reason, Reply, Verdict

MAX_REPLY = 16_384
"""Longest reply read, in characters."""
MOST_CODES = 5
_LONGEST_RATIONALE = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """A valid reply of a model: the verdict with its confidence, and the proposed question filters."""

    reply: Reply
    proposals: tuple[Proposal, ...]


def read_opinion(text: str, prompt: Prompt, local: Reply, judge: str) -> Opinion | Unscored:
    """Reads a model's text and its stand-ins; `Unscored` where it holds no offered verdict.

    Reasons that the local judge gives too have its details.
    """
    said = reply_object(text)
    if isinstance(said, Unscored):
        return said
    verdict, confidence = _verdict(said.get("verdict")), probability(said.get("confidence"))
    if verdict is None:
        return invalid_reply(f"verdict {shorten(repr(said.get('verdict')), 40)} was not offered")
    if confidence is None:
        return invalid_reply(f"confidence {shorten(repr(said.get('confidence')), 40)} is not a probability")
    if (wrong := _wrong_type(said)) is not None:
        return invalid_reply(wrong)
    rationale = unmasked_text(said.get("rationale"), prompt)
    reply = Reply(
        verdict=verdict,
        confidence=confidence,
        p_correct=confidence if verdict in RIGHT else round(1 - confidence, 4),
        reasons=_reasons(said.get("reason_codes"), rationale, local),
        judge=judge,
        rationale=rationale,
        rules_applied=rules_applied(said.get("rules_applied"), prompt.rules),
    )
    return Opinion(reply=reply, proposals=tuple(_proposals(said.get("question_filters"), prompt)))


def reply_object(text: str) -> Mapping[str, object] | Unscored:
    """The one JSON object of a reply, whose keys do not repeat; `Unscored` where it is anything else."""
    if len(text) > MAX_REPLY:
        return invalid_reply(f"it has {len(text)} characters: at most {MAX_REPLY} are read")
    bare = _bare(text)
    try:
        # orjson first: it bounds depth and refuses NaN, which the standard reader does not
        said = orjson.loads(bare)
        if not isinstance(said, dict):
            return invalid_reply(f"it is {json_type(said)}")
        return cast("Mapping[str, object]", json.loads(bare, object_pairs_hook=_without_repeats))
    except orjson.JSONDecodeError:
        return invalid_reply("it is not one complete JSON object and nothing else")
    except _RepeatedKeyError as error:
        return invalid_reply(str(error))
    except (ValueError, RecursionError):
        return invalid_reply("its JSON cannot be read: a number or its nesting is too large")


class _RepeatedKeyError(Exception):
    """An object of the reply has a key twice, so that it says two things."""


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object of these pairs. Two keys are one if only capitals and blanks set them apart."""
    folded = [key.strip().casefold() for key, _ in pairs]
    if len(set(folded)) < len(folded):
        twice = next(key for place, key in enumerate(folded) if key in folded[:place])
        raise _RepeatedKeyError(f"the key {shorten(repr(twice), 40)} stands twice in one object")
    return dict(pairs)


def _wrong_type(said: Mapping[str, object]) -> str | None:
    """Which field beside the verdict and the confidence has a type that was not offered."""
    for name, wanted in (("rationale", str), ("reason_codes", list), ("question_filters", list)):
        value = said.get(name)
        if value is not None and not isinstance(value, wanted):
            return f"{name} is {json_type(value)}"
    return None


def _bare(text: str) -> str:
    """The JSON without the code fence that models often put around it."""
    text = text.strip()
    if text.startswith("```") and text.endswith("```") and len(text) > 6:
        return text[3:-3].removeprefix("json").strip()
    return text


def invalid_reply(why: str) -> Unscored:
    """The end of a case whose reply cannot be used."""
    return Unscored(UnscoredReason.JUDGE_REPLY_INVALID, f"the model's reply is invalid: {why}")


def _verdict(said: object) -> Verdict | None:
    return Verdict(said) if isinstance(said, str) and said in set(Verdict) else None


def probability(said: object) -> float | None:
    """A number from 0 to 1, rounded to four places; `None` where it is anything else."""
    if isinstance(said, bool) or not isinstance(said, int | float) or not math.isfinite(said):
        return None
    return round(float(said), 4) if 0 <= said <= 1 else None


def unmasked_text(said: object, prompt: Prompt) -> str:
    """The text of a reply with the values behind its stand-ins, shortened; empty where it is no text."""
    text = shorten(said, _LONGEST_RATIONALE) if isinstance(said, str) else ""
    return prompt.masker.unmask(text) if prompt.masker is not None else text


def _reasons(said: object, rationale: str, local: Reply) -> tuple[Reason, ...]:
    """The offered codes in the reply; the detail is the local judge's where it gives the same code."""
    seen = {each.code: each.detail for each in local.reasons}
    given = [each for each in _list(said) if isinstance(each, str) and each in OFFERED_CODES]
    codes = [ReasonCode(each) for each in dict.fromkeys(given)][:MOST_CODES]
    return tuple(Reason(code=code, detail=seen.get(code) or shorten(rationale, 200)) for code in codes)


def _proposals(said: object, prompt: Prompt) -> list[Proposal]:
    found = [_proposal(cast("Mapping[str, object]", each), prompt) for each in _list(said) if isinstance(each, dict)]
    return [each for each in found if each is not None][:MOST_PROPOSALS]


def _proposal(said: Mapping[str, object], prompt: Prompt) -> Proposal | None:
    lhs, op, span = (_plain(said.get(name), prompt) for name in ("lhs", "op", "span"))
    rhs = said.get("rhs")
    if not isinstance(op, str) or not isinstance(span, str) or not (lhs is None or isinstance(lhs, str)):
        return None
    if isinstance(rhs, list):
        members = [_plain(each, prompt) for each in cast("Sequence[object]", rhs)[:LONGEST]]
        return Proposal(lhs=lhs, op=op, rhs=tuple(each for each in members if each is not None), span=span)
    return Proposal(lhs=lhs, op=op, rhs=_plain(rhs, prompt), span=span)


def _plain(value: object, prompt: Prompt) -> Scalar | None:
    """A scalar with its stand-ins read back; a number's stand-in becomes a number."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else None
    if not isinstance(value, str) or len(value) > LONGEST:
        return None
    text = prompt.masker.unmask(value) if prompt.masker is not None else value
    plain = text.replace(",", "").replace(".", "", 1)
    return float(text.replace(",", "")) if text != value and plain.isascii() and plain.isdigit() else text


def _list(said: object) -> Sequence[object]:
    return cast("Sequence[object]", said) if isinstance(said, list) else ()
