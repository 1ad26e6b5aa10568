"""Parts a question into sentences, and says which of them ask for something."""

from __future__ import annotations

import re
from functools import cache

from scoring.patterns import lazy

_SENTENCE = lazy(r"\S(?:[^.?!;\n]|[.;](?!\s|$))*(?:[.?!;]+(?=\s|$)|[.?!;]+|\n|$)")
"""A sentence with its end; a full stop inside a number or a name ends none."""
_SHORTENED = lazy(
    r"\b(?:e\.g|i\.e|approx|incl|excl|nr|no|vs|avg|min|max|resp|st|mr|mrs|ms|dr|ca|etc)\.\Z", re.IGNORECASE
)
_LONGEST_SHORTENED = 12
LEAD_WORDS = "so|and|but|also|then|now|again|important|note|fyi|btw|ps|p\\.s|remember|as you know|of course"
RESTRICTING = (
    r"\b(?:is|are|was|were) (?:not|no|out|from)\b|\bha(?:s|ve|d) to\b|\bleave (?:them|those|these|it|that)\b"
    r"|\b(?:at least|at most|more than|less than|fewer than|over|under|above|below) [$€£]?\d"
)
"""How a statement restricts what is asked: `cancelled ones are out`, `they have to be paid`, `it was over 500`."""
LEADS = rf"\s*(?:(?:{LEAD_WORDS})[,:]?\s+)*"
"""What may stand before the first word of a sentence that counts."""
_ASKING = (
    r"\?|\b(?:please|pls|plz|plse)\b|,\s(?:show|list|give|tell|count|find|compute|calculate)\s"
    r"|\b(?:i|we|she|he|they|boss|management|finance|sales|marketing|hr)\b(?: \w+){0,2}?(?:['’]d| would| will)?"
    r" (?:needs?|wants?|likes?|(?:am|are|is) (?:looking for|after|interested in))"
    r"(?! (?:to|it|this|that|them|the same)\b)"
    r"|\b(?:needs?|wants?|like|have|asked|asking) to (?:know|see|have|get|compare|count|list|find|look at)\b"
    r"|\b(?:give|gimme|show|tell|send|hand) (?:me|us|him|her|them)\b|\bgimme\b|\blooking for\b"
    r"|(?<!don't )(?<!don’t )(?<!dont )\b(?:asks?|asked|asking) (?:for|us|me|how|which|what|who)\b|\b(?:define|count"
    r"|call)s? (?:\w+ ){1,3}as\b"
    r"|\bshould (?:contain|have|show|list|include|hold)\b|\bgoes? on the list when\b"
    r"|\b(?:how (?:many|much|long|often|old|far)|whats?|which|who|whose|when|where)\b[^.?!;]*\?"
)
_COMMAND = (
    LEADS
    + r"(?:for (?:each|every|all)|show|list|give|tell|send|find|count|compute|calculate|get|pull|name|rank|sum|add"
    r"|need|want|looking|which|whats?|who|whose|how|when|where|can|could|would|total|average|avg|number|nr|top|median"
    r"|share|percent\w*|%|\d)\b"
)


@cache
def pattern(source: str) -> re.Pattern[str]:
    """Compiled when it is first used: most processes that load the library read few questions. Letter case is alike."""
    return re.compile(source, re.IGNORECASE)


def sentences(text: str, start: int = 0) -> list[tuple[int, int]]:
    """The character range of each sentence from a place on; an abbreviation such as `e.g.` ends none."""
    found: list[tuple[int, int]] = []
    for match in _SENTENCE.finditer(text, start):
        if found and _SHORTENED.search(text, max(found[-1][1] - _LONGEST_SHORTENED, 0), found[-1][1]) is not None:
            found[-1] = found[-1][0], match.end()
        else:
            found.append(match.span())
    return found


def asks(sentence: str) -> bool:
    """Whether a sentence asks or commands."""
    return pattern(_ASKING).search(sentence) is not None or pattern(_COMMAND).match(sentence) is not None
