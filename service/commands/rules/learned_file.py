"""Learned rules in a file."""

from __future__ import annotations

from functools import cache

from consumers.wire.learned_rules_document import (
    MAX_LEARNED_BYTES,
    InvalidLearnedRules,
    LearnedRulesDocument,
    decode_learned,
)
from scoring.learned_rules import LearnedRules
from scoring.rules import JudgePolicy
from service.commands.exits import refuse
from service.commands.jsonl import STANDARD, open_input


def load_learned(source: str) -> LearnedRulesDocument:
    """The document in a file. Ends the command when it is invalid."""
    with open_input(source) as stream:
        raw = stream.read(MAX_LEARNED_BYTES + 1)
    try:
        return decode_learned(raw)
    except InvalidLearnedRules as error:
        refuse(f"learned rules in {'stdin' if source == STANDARD else source}: {error}")


@cache  # a command asks more than once, and stdin is read once
def learned_for(source: str | None, policy: JudgePolicy) -> LearnedRules | None:
    """The learned rules of `--learned`, as version 0. Ends the command where no model would read them."""
    if source is None:
        return None
    if policy is JudgePolicy.LOCAL:
        refuse("--learned is for a model, and the local judge reads no learned rules: use --judge llm or cascade")
    return load_learned(source).learned(0)
