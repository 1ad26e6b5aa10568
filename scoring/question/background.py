"""Takes out of a question what asks for nothing: greetings, thanks, reasons, and sentences that only tell something."""

from __future__ import annotations

import re

from scoring.question.tokens import Ranges

_SENTENCE = re.compile(r"\S(?:[^.?!;\n]|[.;](?!\s|$))*(?:[.?!;]+(?=\s|$)|[.?!;]+|\n|$)")
"""A sentence with its end; a full stop inside a number or a name ends none."""
_SHORTENED = re.compile(
    r"\b(?:e\.g|i\.e|approx|incl|excl|nr|no|vs|avg|min|max|resp|st|mr|mrs|ms|dr|ca|etc)\.\Z", re.IGNORECASE
)
_LONGEST_SHORTENED = 12
_GREETING = re.compile(
    r"\s{0,9}(?:(?:hi|hiya|hey|hello|yo|morning|good (?:morning|afternoon|evening|day))"
    r"(?: (?:there|all|team|folks|everyone|everybody|guys|again|both|colleagues))?|dear [^,.!?\n]{1,40})\s*[,.!:–-]+",
    re.IGNORECASE,
)
_THANKS = (
    r"(?:(?:many |big |a big )?(?:thanks|thank you|thx|tnx|tia|cheers)\b|(?:kind |best |warm )(?:regards|wishes)"
    r"|regards\b|greetings\b|sorry (?:for|to|about)\b|have a (?:nice|good|great|lovely)|no (?:hurry|rush)\b"
    r"|much appreciated)"
)
_CLOSING = re.compile(rf"\s{{0,9}}(?:and |so |with )?{_THANKS}", re.IGNORECASE)
_THANKS_AT_END = re.compile(
    rf"[,.]?\s{{0,3}}(?:and )?\b{_THANKS}"
    r"(?: (?:a lot|a bunch|so much|very much|in advance|again|all|team|guys|everyone))*"
    r"(?:,? [A-Z]\w+)?[\s.!)]*\Z"
)
_REASON = re.compile(r",? (?:because|bc|cuz|cos) (?!of\b)[^.?!;,]{1,200}", re.IGNORECASE)

_LEADS = (
    r"\s*(?:(?:so|and|but|also|then|now|again|important|note|fyi|btw|ps|p\.s|remember|as you know|of course)[,:]?\s+)*"
)
_ASKING = re.compile(
    r"\?|\b(?:please|pls|plz|plse)\b"
    r"|\b(?:i|we|she|he|they|boss|management|finance|sales|marketing|hr)\b(?: \w+){0,2}?(?:['’]d| would| will)?"
    r" (?:needs?|wants?|likes?|(?:am|are|is) (?:looking for|after|interested in))"
    r"(?! (?:to|it|this|that|them|the same)\b)"
    r"|\b(?:needs?|wants?|like|have|asked|asking) to (?:know|see|have|get|compare|count|list|find|look at)\b"
    r"|\b(?:give|gimme|show|tell|send|hand) (?:me|us|him|her|them)\b|\bgimme\b|\blooking for\b"
    r"|\b(?:asks?|asked|asking) (?:for|us|me|how|which|what|who)\b|\b(?:define|count|call)s? (?:\w+ ){1,3}as\b"
    r"|\bshould (?:contain|have|show|list|include|hold)\b|\bgoes? on the list when\b"
    r"|\b(?:how (?:many|much|long|often|old|far)|whats?|which|who|whose|when|where)\b[^.?!;]*\?",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    _LEADS
    + r"(?:for (?:each|every|all)|show|list|give|tell|send|find|count|compute|calculate|get|pull|name|rank|sum|add"
    r"|need|want|looking|which|whats?|who|whose|how|when|where|can|could|would|total|average|avg|number|nr|top|median"
    r"|share|percent\w*|%|\d)\b",
    re.IGNORECASE,
)
_VERB = (
    r"(?:is|are|was|were|has|have|had|can|may|might|could|will|would|do|does|did|don['’]?t|doesn['’]?t|didn['’]?t|go|goes"
    r"|went|runs?|ran|stands?|come|comes|came|makes?|gets?|got|holds?|shows?|costs?|says?|said|think|thinks?|know|knows)\b"
)
_TELLING = re.compile(
    _LEADS + r"(?:(?:i|we|they|he|she|it|there|somebody|someone|everybody|everyone|nobody|whoever|you)"
    rf"(?:['’](?:s|re|ve|m|ll|d)\b| \w+ed\b|(?: \w+)? {_VERB})"
    rf"|(?:this|that|these|those|the|our|my|his|her|their|its|an?|every|each|some|most|many|both|people|one)\s"
    rf"(?:[\w'’-]+ ){{0,6}}?{_VERB}"
    r"|(?:if|when|in case|like every|as every|last time|mostly|usually|normally|otherwise)\b)",
    re.IGNORECASE,
)
_INSTRUCTING = re.compile(r"\b(?:show|list|give|take|put|use|split|add|name|include|print|want|need)\b", re.IGNORECASE)
_RESTRICTING = re.compile(
    r"\b(?:counts?|counted|exclud\w+|includ\w+|ignor\w+|left out|leave|leaving|only|just|without|w/o|except|unless|must"
    r"|should|shd|skip\w*|drop\w*|remov\w+|regardless|means?|meaning|not want|no|null|empty|stored|saved|columns?"
    r"|fields?|percent|such as|commas?|format|appl\w+|defin\w+|called"
    r"|runs|starts|begins|ends|fiscal|financial|[=<>])\b|[=<>]",
    re.IGNORECASE,
)
_LONG = 45
"""Words from which a question is a letter: in it only sentences that ask are read."""
_FEW = 3
"""Sentences from which a long question is a letter."""


def without_background(text: str) -> str:
    """The text with a blank in place of each part that asks for nothing, and of each long run of blanks.

    Greetings, thanks and reasons ask for nothing. Beside a sentence that asks, nor does one that only tells something;
    of a letter, a long text of several sentences, all others are left out.

    >>> " ".join(without_background("Hi team! How many boats came in May? We run 3 piers. Thanks, Ida").split())
    'How many boats came in May?'
    """
    parts: list[str] = []
    place = 0
    for start, end in sorted(_background(text)):
        if start >= place:
            parts.append(text[place:start])
        place = max(place, end)
    return _BLANKS.sub(r"\1", " ".join([*parts, text[place:]]))


_BLANKS = re.compile(r"(\s)\s{9,}")


def _background(text: str) -> Ranges:
    greeting = _GREETING.match(text)
    sentences = _sentences(text, greeting.end() if greeting is not None else 0)
    closings = [place for place in sentences if _CLOSING.match(text, *place) is not None]
    rest = [place for place in sentences if _CLOSING.match(text, *place) is None]
    polite = [greeting.span()] if greeting is not None else []
    reasons = [each.span() for each in _REASON.finditer(text)]
    return (*reasons, *polite, *(_thanks(text, closings) if rest else ()), *_told(text, rest))


def _thanks(text: str, closings: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences that close a text, and thanks at the end of the last one."""
    found = _THANKS_AT_END.search(text)
    return closings + ([found.span()] if found is not None and found.start() else [])


def _told(text: str, sentences: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences that ask for nothing, beside some that ask."""
    silent = [place for place in sentences if not _asks(text[slice(*place)])]
    if len(silent) == len(sentences):
        return []
    letter = is_letter(text)
    return [place for place in silent if letter or _tells(text[slice(*place)])]


def is_letter(text: str) -> bool:
    """Whether a question is a long text of several sentences."""
    return len(text.split()) >= _LONG and len(_sentences(text, 0)) > _FEW


def _sentences(text: str, start: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for match in _SENTENCE.finditer(text, start):
        if found and _SHORTENED.search(text, max(found[-1][1] - _LONGEST_SHORTENED, 0), found[-1][1]) is not None:
            found[-1] = found[-1][0], match.end()
        else:
            found.append(match.span())
    return found


def _asks(sentence: str) -> bool:
    return _ASKING.search(sentence) is not None or _COMMAND.match(sentence) is not None


def _tells(sentence: str) -> bool:
    """Whether a sentence states something that restricts no rows."""
    kept = _RESTRICTING.search(sentence) or _INSTRUCTING.search(sentence)
    return kept is None and _TELLING.match(sentence) is not None
