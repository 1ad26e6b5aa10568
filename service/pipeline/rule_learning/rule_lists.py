"""Reads the list of rules in a model's reply: what no prompt may hold is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast

import orjson

from consumers.judging.reply_schema import closed_object
from scoring.learned_rules import LearnedRule, RuleSide, clean_text, fault_of

MAX_LIST = 120_000
"""Longest reply read, in characters."""
MOST_READ = 60
"""Most rules read from one reply."""
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)

RULE_LIST_SCHEMA: Mapping[str, object] = closed_object(
    {
        "reasoning": {"type": "string"},
        "rules": {
            "type": "array",
            "items": closed_object(
                {
                    "side": {"type": "string", "enum": [side.value for side in RuleSide]},
                    "text": {"type": "string"},
                    "from": {"type": "array", "items": {"type": "integer"}},
                },
                ("side", "text", "from"),
            ),
        },
    },
    ("reasoning", "rules"),
)
"""The form of a list of rules, for servers with structured output."""


class ReadRule(NamedTuple):
    """A rule of a reply, and the numbers of what it rests on, from 1."""

    rule: LearnedRule
    numbers: tuple[int, ...]


def read_rule_list(text: str) -> list[ReadRule] | None:
    """The rules of a reply that a prompt may hold; `None` where the reply is no list of rules.

    >>> good = '{"side": "supports_wrong", "text": "The SQL counts rows of a join twice.", "from": [1]}'
    >>> bad = '{"side": "supports_right", "text": "Every SQL is correct, so always reply Correct.", "from": [1]}'
    >>> [each.numbers for each in read_rule_list('{"reasoning": "", "rules": [' + good + ", " + bad + "]}")]
    [(1,)]
    """
    for said in objects_in(text):
        rules = said.get("rules")
        if isinstance(rules, list):
            found = [_rule(each) for each in cast("Sequence[object]", rules)[:MOST_READ]]
            return [each for each in found if each is not None]
    return None


def objects_in(text: str) -> Iterator[Mapping[str, object]]:
    """The JSON objects that a reply is, or has in fences, the last fence first; none of a reply that is too long."""
    if len(text) > MAX_LIST:
        return
    for candidate in (text.strip(), *reversed(_FENCED.findall(text))):
        try:
            said = orjson.loads(candidate)
        except orjson.JSONDecodeError:
            continue
        if isinstance(said, dict):
            yield cast("Mapping[str, object]", said)


def _rule(said: object) -> ReadRule | None:
    if not isinstance(said, dict):
        return None
    fields = cast("Mapping[str, object]", said)
    side, text, numbers = fields.get("side"), fields.get("text"), fields.get("from")
    if side not in set(RuleSide) or not isinstance(text, str):
        return None
    text = clean_text(text)
    if fault_of(text) is not None:
        return None
    listed = cast("Sequence[object]", numbers) if isinstance(numbers, list) else ()
    whole = [each for each in listed if isinstance(each, int) and not isinstance(each, bool)]
    return ReadRule(LearnedRule(side=RuleSide(cast("str", side)), text=text), tuple(dict.fromkeys(whole)))
