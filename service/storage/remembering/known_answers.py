"""Reads the remembered answers to some questions and to their rewordings, in one query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from uuid import UUID

from sqlalchemy import ARRAY, Text, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from scoring.memory.asked import SAME_QUESTION, AskedQuestion
from scoring.memory.context import MOST_VOICES
from scoring.memory.remembered import MOST_REVIEWED, RememberedQuestion
from scoring.memory.tenant_memory import MOST_REWORDINGS
from service.storage.remembering.remembered_rows import READ_COLUMNS, KnownAnswer, read_answers, stored_words

MOST_ALIKE_ANSWERS = 128
"""Answers of one shape among which rewordings are looked for: the latest."""
KEPT_OF_SPEAKER = 3
"""Latest answers of one agent to one question that are kept without a label; the latest is its voice."""
LATEST_LABEL = """
    SELECT labels.label FROM labels
    WHERE (labels.tenant, labels.source, labels.event_id) = (answers.tenant, answers.source, answers.event_id)
      AND labels.label <> 'unsure'
    ORDER BY labels.labelled_at DESC LIMIT 1
"""
"""The latest label of a row of `remembered_answers AS answers`."""
_READ = text(
    f"""
    WITH asked AS (
        SELECT tenant, question_key, shape, CAST(said AS integer[]) AS words
        FROM unnest(:tenants, :keys, :shapes, :words) AS asked (tenant, question_key, shape, said)
    ), wanted AS (
        SELECT tenant, question_key FROM asked
        UNION
        SELECT asked.tenant, alike.question_key FROM asked CROSS JOIN LATERAL (
            SELECT found.question_key, shared * 1.0 / greatest(1, cardinality(found.words) + said - shared) AS likeness
            FROM (
                SELECT DISTINCT ON (question_key) question_key, words FROM (
                    SELECT question_key, words FROM remembered_answers AS answers
                    WHERE answers.tenant = asked.tenant AND answers.shape = asked.shape
                    ORDER BY remembered_at DESC LIMIT {MOST_ALIKE_ANSWERS}
                ) AS latest WHERE latest.question_key <> asked.question_key ORDER BY question_key
            ) AS found, LATERAL (SELECT cardinality(asked.words) AS said) AS own, LATERAL (
                SELECT count(*) AS shared FROM unnest(found.words) AS word WHERE word = ANY(asked.words)
            ) AS overlap
            WHERE least(cardinality(found.words), said) >= {SAME_QUESTION} * greatest(cardinality(found.words), said)
              AND shared >= {SAME_QUESTION} * (cardinality(found.words) + said - shared) AND shared > 0
            ORDER BY likeness DESC, found.question_key LIMIT {MOST_REWORDINGS}
        ) AS alike
    )
    SELECT {", ".join(f"answers.{name}" for name in READ_COLUMNS)}, ({LATEST_LABEL}) AS label
    FROM remembered_answers AS answers JOIN wanted USING (tenant, question_key)
    WHERE answers.event <> ALL(:own)
    ORDER BY answers.remembered_at, answers.event
    """  # noqa: S608 constant numbers
).bindparams(
    *(bindparam(name, type_=ARRAY(Text)) for name in ("tenants", "keys", "shapes", "words")),
    bindparam("own", type_=ARRAY(Uuid)),
)


async def read_known(
    connection: AsyncConnection, asked: Collection[tuple[str, AskedQuestion]], own: Sequence[UUID]
) -> list[KnownAnswer]:
    """The answers to these questions, each with its tenant, and to their rewordings, earliest first; not `own`."""
    distinct = {(tenant, each.key): each for tenant, each in asked}
    found = await connection.execute(
        _READ,
        {
            "tenants": [tenant for tenant, _ in distinct],
            "keys": [key for _, key in distinct],
            "shapes": [each.shape for each in distinct.values()],
            "words": ["{" + ",".join(map(str, stored_words(each))) + "}" for each in distinct.values()],
            "own": list(own),
        },
    )
    return read_answers(found)


def questions_of(known: Iterable[KnownAnswer]) -> Mapping[str, list[RememberedQuestion]]:
    """The questions of these answers by tenant, with the latest answer of each agent and what people said."""
    questions: dict[tuple[str, str], RememberedQuestion] = {}
    for each in known:
        key = (each.tenant, each.answer.asked.key)
        question = questions.setdefault(key, RememberedQuestion(each.answer.asked))
        question.put(each.answer, each.agreed)
        if each.label is not None:
            question.review(each.answer, correct=each.label)
    of_tenants: dict[str, list[RememberedQuestion]] = {}
    for (tenant, _), question in questions.items():
        of_tenants.setdefault(tenant, []).append(question)
    return of_tenants


def superseded(known: Sequence[KnownAnswer]) -> list[UUID]:
    """Answers that are to be deleted, so that no question grows without bound.

    Kept are the latest `KEPT_OF_SPEAKER` of each of the latest `MOST_VOICES` agents, and `MOST_REVIEWED` with a label.
    """
    speakers: dict[tuple[str, str], Counter[str]] = {}
    labelled = Counter[tuple[str, str]]()
    gone: list[UUID] = []
    for event, tenant, answer, _, _, label in reversed(known):
        question = (tenant, answer.asked.key)
        if label is not None and labelled[question] < MOST_REVIEWED:
            labelled[question] += 1
            continue
        counts = speakers.get(question)
        if counts is None:
            counts = speakers[question] = Counter()
        speaker = answer.speaker
        counts[speaker] += 1
        if counts[speaker] > KEPT_OF_SPEAKER or len(counts) > MOST_VOICES:
            gone.append(event)
    return gone
