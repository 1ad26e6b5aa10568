"""Takes out of a question what asks for nothing: greetings, thanks, reasons, and sentences that only tell something."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.question.remarks import ATTRIBUTES, names_what_follows, remarks, tells
from scoring.question.sentences import LEADS, RESTRICTING, asks, pattern, sentences
from scoring.question.tokens import Ranges

_GREETING = lazy(
    r"\s{0,9}(?:(?:hi|hiya|hey|hello|yo|morning|good (?:morning|afternoon|evening|day))"
    r"(?: (?:there|all|team|folks|everyone|everybody|guys|again|both|colleagues))?|dear [^,.!?\n]{1,40})\s*[,.!:–-]+",
    re.IGNORECASE,
)
_THANKS = (
    r"(?:(?:many |big |a big )?(?:thanks|thank you|thx|tnx|tia|cheers)\b|(?:kind |best |warm )(?:regards|wishes)"
    r"|regards\b|greetings\b|sorry (?:for|to|about)\b|have a (?:nice|good|great|lovely)|no (?:hurry|rush)\b"
    r"|much appreciated)"
)
_CLOSING = lazy(rf"\s{{0,9}}(?:and |so |with )?{_THANKS}", re.IGNORECASE)
_THANKS_AT_END = lazy(
    rf"[,.]?\s{{0,3}}(?:and )?\b{_THANKS}"
    r"(?: (?:a lot|a bunch|so much|very much|in advance|again|all|team|guys|everyone))*"
    r"(?:,? [A-Z]\w+)?[\s.!)]*\Z"
)
_REASON = lazy(
    r",? (?:because|bc|cuz|cos) (?!of\b)[^.?!;,]{1,200}"
    r"|[,–-] ?(?:i |we )?need(?:ed)? (?:it|this|that|them|these|those) (?:for|by|before|to)\b[^.?!;,]{1,80}",
    re.IGNORECASE,
)

_VERB = (
    r"(?:is|are|was|were|has|have|had|can|may|might|could|will|would|do|does|did|don['’]?t|doesn['’]?t|didn['’]?t|go"
    r"|goes|went|ran|stands?|come|comes|came|makes?|gets?|got|holds?|shows?|costs?|says?|said|think|thinks?|know"
    r"|knows)\b"
)
_TELLING = (
    LEADS + r"(?:(?:i|we|they|he|she|it|there|somebody|someone|everybody|everyone|nobody|whoever|you)"
    rf"(?:['’](?:s|re|ve|m|ll|d)\b| \w+ed\b|(?: \w+)? {_VERB})"
    rf"|(?:this|that|these|those|the|our|my|his|her|their|its|an?|every|each|some|most|many|both|people|one)\s"
    rf"(?:[\w'’-]+ ){{0,6}}?{_VERB}"
    r"|(?:if|when|in case|like every|as every|last time|mostly|usually|normally|otherwise)\b)"
)
_INSTRUCTING = lazy(r"\b(?:show|list|give|take|put|use|split|add|name|include|print|wants?|need)\b", re.IGNORECASE)
_RESTRICTING = (
    r"\b(?:counts?|counted|exclud\w+|includ\w+|ignor\w+|left out|leave|leaving|only|just|without|w/o|except|unless|must"
    r"|should|shd|skip\w*|drop\w*|remov\w+|regardless|means?|meaning|not want|no|null|empty|stored|saved|columns?"
    r"|fields?|percent|such as|commas?|format|appl\w+|defin\w+|called"
    r"|runs|starts|begins|ends|fiscal|financial|[=<>])\b|[=<>]"
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


_EXAMPLE = lazy(r"(?:\be\.?g\.?|\bfor example|\bex:)[^?!;\n]{0,80}=[^?!;\n]{0,40}|\(\d+ = [^()]{1,60}\)")
"""How a figure is to be read: `e.g. 80% to 84% = +4`, `(10 = ten days late)`."""
_CORRECTED = lazy(
    r"\A[^?\n]{5,120}?\W{1,3}(?:no wait|wait,? no|scratch that|actually,? no)\b[,:]? (?=\w+ \w+ \w+)", re.IGNORECASE
)
"""What a person takes back: `the highest time.. no wait, the fastest time per track`."""
_BLANKS = lazy(r"(\s)\s{9,}")


def _background(text: str) -> Ranges:
    greeting = _GREETING.match(text)
    places = sentences(text, greeting.end() if greeting is not None else 0)
    closings = [place for place in places if _CLOSING.match(text, *place) is not None]
    rest = [place for place in places if _CLOSING.match(text, *place) is None]
    polite = [greeting.span()] if greeting is not None else []
    reasons = [each.span() for unasked in (_REASON, _EXAMPLE, _CORRECTED) for each in unasked.finditer(text)]
    return (*reasons, *polite, *(_thanks(text, closings) if rest else ()), *_told(text, rest), *remarks(text))


def _thanks(text: str, closings: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences that close a text, and thanks at the end of the last one."""
    found = _THANKS_AT_END.search(text)
    return closings + ([found.span()] if found is not None and found.start() else [])


def _told(text: str, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences that ask for nothing, beside some that ask.

    Where none asks openly, the first one asks, unless it tells something: `Sales per shop. We have 40 of them.`
    """
    asking = [place for place in places if asks(text[slice(*place)])]
    if not asking and places and not tells(text[slice(*places[0])]):
        asking = places[:1]
    if not asking:
        return []
    letter = is_letter(text)
    silent = [place for place in places if place not in asking]
    return [place for place in silent if letter or _is_told(text, *place, first=place < asking[0])]


def _is_told(text: str, start: int, end: int, *, first: bool) -> bool:
    """Whether a sentence beside one that asks only tells something.

    It neither instructs nor begins like a restriction, and it has a verb of its own, or stands behind what is asked
    and begins like one that tells. What the rest calls `it` is no mere telling.
    """
    sentence = text[start:end]
    if pattern(RESTRICTING).search(sentence) is not None or pattern(_OF_ATTRIBUTE).match(sentence) is not None:
        return False
    if pattern(_INSTRUCTS).search(sentence) is not None or pattern(_RESTRICTS).match(sentence) is not None:
        return _tells(sentence)
    if names_what_follows(text, start, end):
        return False
    subject = not first and pattern(_SUBJECT).match(sentence) is not None and len(sentence.split()) >= _WHOLE
    return (
        subject
        or pattern(_PERSON).match(sentence) is not None
        or tells(sentence)
        or pattern(_OWN_VERB).search(sentence) is not None
    )


_OF_ATTRIBUTE = LEADS + rf"(?:the|their|its|his|her) {ATTRIBUTES}s? (?:is|are|was|were|has|have|should|must)\b"
"""How a sentence begins that restricts a value: `the currency is euro`."""
_WHOLE = 8
"""Words from which what begins with a subject is a sentence, whatever its verb."""
_SUBJECT = LEADS + r"(?:the|our|my|their|his|her|an?|this|some|most|many|(?-i:[A-Z][a-z]+ \S))"
_PERSON = LEADS + r"(?-i:[A-Z][a-z]+ [A-Z][a-z]+) \w+ed\b"
_OWN_VERB = (
    r"(?<![\w'’])(?<!when )(?<!what )(?<!where )(?!(?:that|who|which|whose|and|or|not|how)\b)"
    rf"[\w'’]{{1,40}}\s{{1,9}}{_VERB}|['’](?:s|re|ve|m|ll)\s"
)
_RESTRICTS = (
    LEADS
    + r"(?:not?|none|nothing|without|w/o|only|just|excluding|excl|including|incl|except|ignore|skip|leave|count|use"
    r"|take"
    r"|treat|in|for|from|since|between|during|at|on|by|per|with|within|until|till|before|after|over|under|above|below"
    r"|all"
    r"|(?:the )?ones|those|these|sorted|ordered|grouped|split|ranked|and|or|but|as|where|when|if|same|also|plus|minus"
    r"|net|gross|new(?:est)?|oldest|latest|highest|biggest|lowest|smallest|top|best|worst|most|least|first|last|exactly"
    r"|ie|i\.e)\b|(?s:.)*\bonly\W*$"
)
"""How a sentence begins, or ends, that restricts or shapes what is asked beside it."""
_INSTRUCTS = (
    r"\b(?:exclud\w+|includ\w+|incl|excl|ignor\w+|omit\w*|leav(?:e|es|ing) out|left out|skip\w*|remov\w+|should|shd"
    r"|must|shall|means?|stands? for|treat\w*|defin\w+|refer\w*|regardless|null|comma\w*|separated|format|underscores?"
    r"|empty|blank|stored|saved|cents?|pence|utc"
    r"|time ?zone|fiscal|financial|show|(?<!waiting )list(?! of)|sort\w*|split|rank|rounded?|percent|columns?|fields?"
    r"|need|want|interested"
    r"|only (?:the|those|want|count)|(?:is|are|be|not|never|n['’]t) counted|(?:what|that) counts|bucket|ie|i\.e|w/o"
    r"|(?:counts? (?:as|once|only|too|double|each|every|all|those|them|it)|counts (?:for|in|the))|exactly|minus|plus"
    r"|take|tied?|ties|divided|whole (?:bill|estate|month|year)|go by"
    r"|do(?:es)?(?: not|n['’]?t) (?:count|want|matter|belong)|such as|called|stay in|stays? out|regarded|consider\w*"
    r"|ha(?:s|ve) no|(?:runs?|starts?|beg[aiu]ns?) (?:on|in|from|with|at)|in (?:euros?|dollars?|pounds?|usd|eur|gbp"
    r"|thousands?|millions?|kg|km|miles|litres?|[a-z]*(?:seconds?|minutes?|hours?)|days|weeks)|\d+ (?:\w+ )?(?:is"
    r"|are) an?)\b|[=<>≥≤+]|\s/\s|\d\s*%|(?<!\w)['\"]\w|#\d|_id \d"
)
"""What restricts or shapes what is asked, wherever it stands in a sentence."""


def is_letter(text: str) -> bool:
    """Whether a question is a long text of several sentences."""
    return len(text.split()) >= _LONG and len(sentences(text, 0)) > _FEW


def _tells(sentence: str) -> bool:
    """Whether a sentence states something that restricts no rows."""
    kept = pattern(_RESTRICTING).search(sentence) or _INSTRUCTING.search(sentence)
    return kept is None and pattern(_TELLING).match(sentence) is not None
