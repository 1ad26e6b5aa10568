"""What signals of plain mistakes ask of both texts, and of the shapes of the SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scoring.specification.shapes import Shape, ShapeKind
from scoring.verdict import Case

IDENTIFIER = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")


def said(case: Case) -> str:
    """Both questions in lower case."""
    return f"{case.question.text}\n{case.query.enriched_question or ''}".casefold()


def asked(case: Case) -> str:
    """The person's own question in lower case."""
    return case.question.text.casefold()


def shapes(case: Case, kind: ShapeKind) -> Iterator[Shape]:
    """The shapes of one kind."""
    for each in case.sql.shapes:
        if each.kind is kind:
            yield each


def first(case: Case, kind: ShapeKind) -> Shape | None:
    """The first shape of a kind, if any."""
    return next(shapes(case, kind), None)


_FOLLOWS = re.compile(
    r"\s*(?:ok(?:ay)?|thanks?|thx|great|hm+)?[ ,]*\b(?:and|with|only|same|what about|how about|also|but|now|then|just"
    r"|in|for|exclud\w*|includ\w*|without|no|instead|as|per|by|sort\w*|order(?:ed)? by|those|these"
    r"|them|that|it|plus|minus|or)\b"
)


def follows(case: Case) -> bool:
    """Whether the question goes on with an earlier one, which may have asked for more than it repeats."""
    return _FOLLOWS.match(asked(case)) is not None
