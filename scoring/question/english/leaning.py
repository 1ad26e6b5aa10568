"""English of questions that lean on the answer before, in words that no form of a follow-up has."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.question.english.follow_ups import OPENERS

_NEW = lazy(
    r"\b(?:something (?:else|new|different)|unrelated|(?:different|another|new|separate|other) (?:question|topic|thing"
    r"|subject)|change of (?:topic|subject)|switching (?:topics?|gears))\b",
    re.IGNORECASE,
)
"""Says that the question has nothing to do with the ones before."""
_CHANGING = lazy(
    r"(?:add|put|lower|raise|increase|decrease|reduce|change|swap|replace|include|exclude|skip|drop|remove|keep"
    r"|convert|switch|extend|widen|narrow|hide|take out|get rid"
    r"|zoom|(?:go )?back|undo|flip|reverse|leave|too (?:detailed|long|many|much"
    r"|fine|coarse|granular)|no(?:pe)?(?=,)|wrong|p\d\d)\b",
    re.IGNORECASE,
)
"""Begins a request to change the answer before."""
_CUT_SHORT = lazy(
    r"(?:and )?(?:how many|which|who|what)(?: ones?)? (?:are|is|were|was|do|does|did|have|has|had)(?:n'?t| not)?"
    r"|(?:and )?(?:who|what|which(?: one)?) (?:is|was|came|comes|ranks?|ranked) (?:in )?(?:the )?(?:second|third|next"
    r"|last|2nd|3rd)(?: place)?",
    re.IGNORECASE,
)
"""Ends before it says what it is about."""
_POINTING = lazy(
    r"(?:\w+ ){0,4}?(?:of|among|from|for|between) (?:them|those|these)\b(?! \w+s\b)"
    r"|(?:(?:what|how|who|which|when|where|is|are|was|were|do|does|did|show|give|list|tell|get|with|add|put|me|us"
    r"|the|a|many|much|can|could|you|please|just|now|also) )*(?:it|them|those|these|they|their|its)\b"
    r"|(?:[\w']+ ){1,8}(?:next to|beside|alongside) (?:it|that|them|each)\b",
    re.IGNORECASE,
)
"""Points at the answer before, with nothing else before it that the word could stand for."""
_REMARK = lazy(
    r"(?:why|how come|is|are|does|do|did|was|were|should|what does|what do you|where (?:does|do)|explain|really"
    r"|looks?|seems?|sounds?|weird|strange|odd"
    r"|(?:that|this|it|those|these|they) (?:seems?|looks?|sounds?|can['’]?t|cannot|is|are|was|were)"
    r"|(?:(?:can|could|would|will) (?:you|we|i) )?(?:please )?(?:export|download|save|send|mail|e-?mail|chart|plot|draw"
    r"|visuali[sz]e|copy|format|share|print)"
    r"|(?:i'?ll|i will|let me) )\b",
    re.IGNORECASE,
)
"""Begins what is said about the answer before, or asks for something else than data."""
_LONGEST = 200


def is_about_the_same(question: str) -> bool:
    """Whether a question does not say that it is about something else than the ones before."""
    return _NEW.search(question) is None


def is_remark(question: str) -> bool:
    """Whether words that got no SQL are about the answer before: `is that too much?`, `can you mail that?`.

    >>> is_remark("why are they so far behind"), is_remark("revenue of the Graz branch")
    (True, False)
    """
    return _REMARK.match(OPENERS.sub("", question.strip(), count=1)) is not None or leans(question)


def leans(question: str) -> bool:
    """Whether a question that is no known form of a follow-up still has no meaning without the answer before.

    >>> leans("how many weren't?"), leans("put the headcount next to it"), leans("who came third?")
    (True, True, True)
    >>> leans("Which customers spent more than their average?"), leans("Something else: who were they?")
    (False, False)
    """
    if len(question) > _LONGEST or not is_about_the_same(question):
        return False
    text = OPENERS.sub("", " ".join(question.split()), count=1).strip(" ?!.…")
    return (
        _CUT_SHORT.fullmatch(text) is not None or _CHANGING.match(text) is not None or _POINTING.match(text) is not None
    )
