"""A model that writes rules: extracts, refines and consolidates them, each by a prompt file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from consumers.judging.calling import CallModel
from consumers.judging.prompting import MAX_PROMPT, Template, as_data
from learning.rules.examples import JudgedExample, LabelledExample, RuleSet, SourcedRule, joined
from scoring.learned_rules import folded_text
from service.pipeline.rule_learning.journal import ReplyJournal
from service.pipeline.rule_learning.rule_lists import RULE_LIST_SCHEMA, ReadRule, read_rule_list
from service.pipeline.rule_learning.written_replies import task_prompt, written_reply

Item = TypeVar("Item")
ShowExample: TypeAlias = Callable[[LabelledExample, JudgedExample | None], Mapping[str, object] | None]
"""What the writer is shown of a labelled answer, and of what was said of it; `None` where it cannot be masked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterPrompts:
    """The prompt files of the three tasks."""

    extract: Template
    refine: Template
    consolidate: Template


@dataclass(slots=True, kw_only=True)
class ModelWriter:
    """A `RuleWriter` behind the OpenAI protocol."""

    call: CallModel
    prompts: WriterPrompts
    show: ShowExample
    journal: ReplyJournal
    at_once: asyncio.Semaphore
    invalid: int = 0
    """Replies that were no list of rules."""

    async def extract(self, examples: Sequence[LabelledExample]) -> RuleSet:
        """Rules by which these labels can be told from the answers; none where the reply is no list."""
        ids, shown = self._samples([(each, None) for each in _in_turn(examples)])
        if not shown:
            return ()
        found = await self._ask(self.prompts.extract, {"samples": shown})
        return tuple(_sourced(each, ids) for each in found or ())

    async def refine(self, rules: RuleSet, samples: Sequence[JudgedExample]) -> RuleSet:
        """The changed rules; the rules as they are where the reply is no list."""
        ids, shown = self._samples([(each.example, each) for each in samples])
        if not shown:
            return rules
        found = await self._ask(self.prompts.refine, {"rules": _numbered(rules), "samples": shown})
        if found is None:
            return rules
        known = {folded_text(each.rule.text): each.labels for each in rules}
        changed = [_sourced(each, ids) for each in found]
        return tuple(
            SourcedRule(
                rule=each.rule, labels=tuple(dict.fromkeys((*known.get(folded_text(each.rule.text), ()), *each.labels)))
            )
            for each in changed
        )

    async def consolidate(self, rules: RuleSet) -> RuleSet:
        """One set from the rules of several clusters; the rules as they are where the reply is no list."""
        shown = [
            {**each, "labels": len(rule.labels), "support": rule.support, "precision": rule.precision}
            for each, rule in zip(_numbered(rules), rules, strict=True)
        ]
        found = await self._ask(self.prompts.consolidate, {"rules": shown})
        if found is None:
            return rules
        return tuple(joined(each.rule, _picked(rules, list(dict.fromkeys(each.numbers)))) for each in found)

    def _samples(
        self, wanted: Sequence[tuple[LabelledExample, JudgedExample | None]]
    ) -> tuple[list[str], list[dict[str, object]]]:
        """Numbered samples that fit into a prompt, and their ids."""
        ids: list[str] = []
        found: list[dict[str, object]] = []
        room = MAX_PROMPT * 4 // 5
        for example, judged in wanted:
            shown = self.show(example, judged)
            if shown is None:
                continue
            sample = {"number": len(found) + 1, **shown}
            room -= len(as_data(sample))
            if room < 0:
                break
            ids.append(example.id)
            found.append(sample)
        return ids, found

    async def _ask(self, template: Template, document: Mapping[str, object]) -> list[ReadRule] | None:
        """The rules that the model writes; `None` where its reply is no list. Raises `LearningStopped`."""
        task = "Write the rules. Reply with the JSON object only."
        prompt = task_prompt(template, document, RULE_LIST_SCHEMA, task)
        found = read_rule_list(await written_reply(self.call, prompt, self.journal, self.at_once))
        self.invalid += found is None
        return found


def _numbered(rules: RuleSet) -> list[dict[str, object]]:
    return [
        {"number": number, "side": each.rule.side.value, "text": each.rule.text} for number, each in enumerate(rules, 1)
    ]


def _in_turn(examples: Sequence[LabelledExample]) -> list[LabelledExample]:
    """Right and wrong ones in turn, so that a prompt that is full holds both."""
    sides = {True: 0, False: 0}
    turns: list[tuple[int, int, LabelledExample]] = []
    for place, each in enumerate(examples):
        turns.append((sides[each.correct], place, each))
        sides[each.correct] += 1
    return [each for *_, each in sorted(turns, key=lambda turn: turn[:2])]


def _sourced(read: ReadRule, ids: Sequence[str]) -> SourcedRule:
    return SourcedRule(rule=read.rule, labels=tuple(dict.fromkeys(_picked(ids, read.numbers))))


def _picked(items: Sequence[Item], numbers: Sequence[int]) -> list[Item]:
    return [items[number - 1] for number in numbers if 1 <= number <= len(items)]
