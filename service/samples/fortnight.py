"""Two weeks of answers of two agents to an invented library. A release makes one of them worse.

They are made from templates and end at the present moment, so that trends, an alarm and the review queue have
something to show.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

TENANT = "quayside-library"
LENGTH = timedelta(days=14)
QUESTIONS = 280
RELEASE = 200
"""Number of the question from which `ember` answers as 2.1.0: it then leaves out the period that a question names."""
_WRONG = {"atlas": 0.08, "ember": 0.1}
"""Share of answers that are wrong whatever the release does."""

_BRANCHES = ("Lisbon", "Porto", "Braga", "Coimbra", "Faro", "Aveiro", "Evora", "Leiria", "Viseu", "Guarda", "Beja")
_GENRES = ("travel", "poetry", "history", "science", "crime", "cooking", "music", "art", "drama", "nature")
_KINDS = ("student", "senior", "adult", "junior", "guest")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")


@dataclass(frozen=True, slots=True)
class _Template:
    """A kind of question with its right answer and a wrong one. `{when}` is the period in words, `{period}` in SQL."""

    question: str
    right: str
    wrong: str
    date: str
    """The column that holds the date."""


_LOANS = "SELECT COUNT(*) FROM loans JOIN branches ON loans.branch_id = branches.branch_id WHERE branches.city"
_TEMPLATES = (
    _Template(
        "How many loans were made at the {branch} branch {when}?",
        _LOANS + " = '{branch}'{period}",
        _LOANS + " <> '{branch}'{period}",
        "loans.loaned_on",
    ),
    _Template(
        "How many {kind} members joined {when}?",
        "SELECT COUNT(*) FROM members WHERE kind = '{kind}'{period} AND library_code = 'QL'",
        "SELECT COUNT(*) FROM members WHERE library_code = 'QL'{period}",
        "joined_on",
    ),
    _Template(
        "What is the total of the fines paid by {kind} members {when}?",
        "SELECT SUM(fines.amount) FROM fines JOIN members ON fines.member_id = members.member_id"
        " WHERE members.kind = '{kind}'{period} AND members.library_code = 'QL'",
        "SELECT COUNT(fines.amount) FROM fines JOIN members ON fines.member_id = members.member_id"
        " WHERE members.kind = '{kind}'{period} AND members.library_code = 'QL'",
        "fines.paid_on",
    ),
    _Template(
        "List the titles of {genre} books that were bought {when}.",
        "SELECT title FROM books WHERE genre = '{genre}'{period}",
        "SELECT author FROM books WHERE genre = '{genre}'{period}",
        "bought_on",
    ),
    _Template(
        "Which {many} {genre} books have the most pages?",
        "SELECT title FROM books WHERE genre = '{genre}' ORDER BY pages DESC LIMIT {many}",
        "SELECT title FROM books WHERE genre = '{genre}' ORDER BY pages LIMIT {many}",
        "",
    ),
    _Template(
        "How many {genre} books with more than {number} pages does each branch own?",
        "SELECT branch_id, COUNT(*) FROM books WHERE genre = '{genre}' AND pages > {number} GROUP BY branch_id",
        "SELECT COUNT(*) FROM books WHERE genre = '{genre}' AND pages > {number}",
        "",
    ),
    _Template(
        "What is the average fine in {branch} of members who are not {kind}?",
        "SELECT AVG(fines.amount) FROM fines JOIN members ON fines.member_id = members.member_id"
        " WHERE members.city = '{branch}' AND members.kind <> '{kind}' AND members.library_code = 'QL'",
        "SELECT AVG(fines.amount) FROM fines JOIN members ON fines.member_id = members.member_id"
        " WHERE members.city = '{branch}' AND members.kind = '{kind}' AND members.library_code = 'QL'",
        "",
    ),
)


@dataclass(frozen=True, slots=True)
class _Period:
    """A month of a year, in words and as a condition."""

    year: int
    month: int

    @property
    def words(self) -> str:
        return f"in {_MONTHS[self.month - 1]} {self.year}"

    def condition(self, column: str) -> str:
        begin, end = f"{self.year}-{self.month:02}-01", f"{self.year}-{self.month + 1:02}-01"
        return f" AND {column} >= '{begin}' AND {column} < '{end}'"


def fortnight_events(now: datetime) -> Iterator[dict[str, Any]]:
    """Yields the answers of the two weeks before `now`, in the order of `occurred_at`.

    `attributes` says whether the SQL answers the question, as in the other samples. The scorer does not read it.
    """
    dice = Random(14)  # noqa: S311 a draw, not a secret
    asked: set[str] = set()
    for number in range(QUESTIONS):
        moment = now - LENGTH + LENGTH * (number + dice.random()) / QUESTIONS
        template, words, period = _new_question(dice, asked)
        for agent, share in _WRONG.items():
            released = agent == "ember" and number >= RELEASE
            forgets, wrong = released and bool(template.date), dice.random() < share
            condition = "" if forgets else period.condition(template.date)
            sql = (template.wrong if wrong else template.right).format(**words, period=condition)
            yield {
                "event_id": f"quayside-{agent}-{number:03}",
                "tenant": TENANT,
                "agent": agent,
                "agent_version": "3.2.0" if agent == "atlas" else "2.1.0" if released else "2.0.3",
                "occurred_at": moment.isoformat(),
                "question": template.question.format(**words, when=period.words),
                "sql": sql,
                "dialect": "postgres",
                "attributes": {"answers": not (wrong or forgets), "intent": _intent(wrong=wrong, forgets=forgets)},
            }


def _new_question(dice: Random, asked: set[str]) -> tuple[_Template, dict[str, object], _Period]:
    """A question that was not asked before."""
    while True:
        template, period = dice.choice(_TEMPLATES), _Period(dice.randint(2024, 2026), dice.randint(1, len(_MONTHS)))
        words: dict[str, object] = {
            "branch": dice.choice(_BRANCHES),
            "kind": dice.choice(_KINDS),
            "genre": dice.choice(_GENRES),
            "many": dice.randint(3, 20),
            "number": 50 * dice.randint(2, 16),
        }
        question = template.question.format(**words, when=period.words)
        if question not in asked:
            asked.add(question)
            return template, words, period


def _intent(*, wrong: bool, forgets: bool) -> str:
    if forgets:
        return "wrong: the period is missing"
    return "wrong: it answers another question" if wrong else "right"
