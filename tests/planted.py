"""Secrets planted in every place of an answer that is sent to a model."""

from __future__ import annotations

import json
import random
import string

from consumers.wire.rules_document import decode_rules
from scoring.evaluation import examine
from scoring.query import Query
from scoring.rules import JudgePolicy
from scoring.verdict import Case


def secrets(count: int) -> list[str]:
    """Names, addresses, codes and numbers that stand in no list of words."""
    made = random.Random(7)
    forms = (
        lambda: "".join(made.choices("bcdfgklmnprstvz", k=3)).capitalize() + "orquin" + made.choice("aeiou"),
        lambda: "".join(made.choices("bcdfgklmnprstvz", k=4)) + "ulwex",
        lambda: f"{''.join(made.choices(string.ascii_lowercase, k=9))}@{''.join(made.choices('abcdef', k=5))}.test",
        lambda: "QX" + "".join(made.choices(string.digits, k=6)),
        lambda: "".join(made.choices("3456789", k=7)),
        lambda: f"Dr {''.join(made.choices('bcdfgk', k=4)).capitalize()}axo Ny{''.join(made.choices('lmnprst', k=4))}",
        lambda: f"+44 {''.join(made.choices('3456789', k=4))} 7{''.join(made.choices('3456789', k=5))}",
    )  # fmt: skip
    return [forms[number % len(forms)]() for number in range(count)]


SHAPES = (
    # question, SQL, enriched question, rules: {0} is planted
    ("loans of {0} last month", "SELECT id FROM loans WHERE borrower = '{0}'", None, {}),
    ("loans of {0} last month", "SELECT id FROM loans", "loans by the borrower {0}", {}),
    ('who wrote "{0}" in the log?', "SELECT author AS a FROM log WHERE note LIKE '%{0}%'", None, {}),
    ("how many loans?", "SELECT COUNT(*) FROM loans WHERE note = '{0}' /* {0} */ -- {0}", None, {}),
    ("loans by kind", 'SELECT kind AS "{0}" FROM loans', "loans by kind (kind refers to {0})", {}),
    ("loans of {0}", "SELECT id FROM loans WHERE kind IN ('x', '{0}')", None, {"benign_filters": ["kind = '{0}'"]}),
    ("what of {0}?", "SELECT id FROM loans WHERE LOWER(kind) = '{0}'", None, {"column_mappings": {"{0}": "kind"}}),
    ("{0}: show its loans", "SELECT CASE WHEN kind = '{0}' THEN 1 END FROM loans", "show the loans of {0}", {}),
)  # fmt: skip


def planted(secret: str, shape: tuple) -> Case:
    """An answer of that shape with the secret in it, to be judged by a model."""
    question, sql, enriched, rules = json.loads(json.dumps(shape).replace("{0}", secret))
    document = decode_rules({**rules, "judge": {"policy": JudgePolicy.LLM}})
    case = examine(Query(question=question, sql=sql, enriched_question=enriched), document.rules(version=1))
    assert isinstance(case, Case), case
    return case


def gone(secret: str, sent: str) -> bool:
    """Neither the secret nor any of its words that tell something stands in what is sent."""
    words = [word for word in secret.replace("@", " ").replace(".", " ").split() if len(word) > 3 and word != "test"]
    said = sent.casefold()
    return not any(each.casefold() in said for each in (secret, *words))
