"""Finds clauses that tell something of the house or its data and ask for nothing: `some are tiny`, `it was 212`."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.question.sentences import LEAD_WORDS, RESTRICTING, asks, pattern, sentences
from scoring.question.tokens import Ranges

_CLAUSE = lazy(r"(?:[^.?!;,()\n–]|(?<=\d)[.,](?=\d)|(?<=\w)\.(?=\w)| ?[-–](?! ))+")
"""A stretch between two marks; a mark inside a number or a name parts nothing."""
_LEADS = rf"\s*(?:(?:{LEAD_WORDS}|as|though|although|since|well|nb|iirc|afaik)[,:]?\s+)*"
_IS = r"(?:is|are|was|were|['’]s|['’]re)\b"
_VERB = (
    rf"(?:{_IS}|(?:has|have|had|['’]ve|goes|go|went|ran|comes?|came|gets?|got|makes?|made|takes?|took|costs"
    r"|closed?s?|opens?|opened|started|starts|moved|changed|changes|broke|varies|vary|differs?|grew|grows?|happens?"
    r"|happened|thinks?|thought|says|said|reckons?|believes?|swears|told|heard|knows?|knew|remember"
    r"|guess|did|do|does|can|could|may (?:be|have|well|also|come|go)|might|will|would)\b)"
)
_OFTEN = (
    r"(?:(?:always|usually|often|mostly|sometimes|already|still|also|all|both|really|normally|probably|maybe|even|only"
    r"|recently) )?"
)
_SPOKEN = r"(?:i|we|he|she|it|there|nobody|everybody|everyone|somebody|someone|people|boss|management|finance|you)"
_QUANTIFIED = r"(?:some|most|many|several|few|a few|a couple|lots|plenty|a lot|others|each one|every one|one or two)"
ATTRIBUTES = (
    r"(?:status|state|type|kind|category|country|region|city|code|channel|value|flag|level|class|group|date|period|name"
    r"|answer|result|output|number|list|total|share|rate|question|rows?|ones?|table|column|sum|average|avg|difference"
    r"|currency|amount|price|first|last|latest|newest|oldest|\w+est|best|worst|most|top|median|percent\w*|year|month|week|quarter|yr|course)"
)
"""After `the`, what a condition or a request speaks of: `the status is open`, `the total per week`."""
_THING = rf"(?:the|our|my|their|these|those|his|her)\s(?!{ATTRIBUTES}s?\b)(?:[\w'’-]+ ){{1,4}}?"
_STORE = (
    r"(?:the |our |this |that )?(?:tables?|data|records?|history|logs?|archive|files?|system|database|db|dump|export)"
)
_LATELY = (
    r"(?:last (?:time|week|month|year|quarter)|yesterday|back then|in the past|these days|at the time|before that)"
)
_GUESS = (
    r"(?:(?:it |that |this )?(?:should|must|ought to|will|would|could|might)"
    r"(?:['’]?ve| have| be| come| end)? ?(?:out |up |at |to )*(?:be |been )?"
    r"(?:around|about|roughly|approx\w*|somewhere|close to|near|some|~|\d|in the)"
    r"|(?:i |we )?(?:expect|expected|remember|recall|guess|reckon)(?:ing)? "
    r"(?:it |that |this |about |around |roughly |some |~)*\d)"
)
_STRONG = (
    _LEADS + rf"(?:{_SPOKEN}{_IS}|(?:we|i) (?:\w+ly )?\w+ (?!how\b|many\b)|{_SPOKEN} {_OFTEN}{_VERB}|we['’]ve\b"
    r"|(?:\w+ )?(?:hours|times|shifts) (?:are|run|go) (?:from )?\d|(?:[\w'’-]+ ){1,2}(?:go|range|run|vary)s? from \d"
    rf"|{_STORE} (?:only )?(?:goes|go|starts?|started|runs?|reach\w*|covers?|begins?) (?:back|in|at|from)\b"
    rf"|{_LATELY} (?:it|that|this|we|i|they|there) {_VERB}|{_GUESS}"
    r"|(?-i:(?:[Ll]ast (?:time|year|month|week) )?[A-Z][a-z]+) (?:built|made|set|wrote|did|counted|worked|typed|keyed) "
    r"(?:it|that|this|them|those)\b)"
)
"""How a clause begins that tells something, whatever it speaks of."""
_WEAK = (
    _LEADS + rf"(?:{_QUANTIFIED}\s(?:of \w+ )?(?:[\w'’-]+ ){{0,3}}?{_OFTEN}{_VERB}|{_THING}{_OFTEN}{_VERB}"
    rf"|{_THING}\w+s (?:about )?\d"
    r"|(?:[\w'’-]+ ){1,2}are (?:all )?(?:always|mostly|often|usually|normally|very|quite|pretty|really|too|rather) \w+)"
)
"""How a clause begins that tells something, if it has no word that may restrict rows."""
_GENERAL = (
    _LEADS
    + r"(?!(?:how|what|which|who|whom|whose|where|when|why|that|if|list|show|give|count|not|no|please|by|per|for|with"
    r"|in"
    rf"|{ATTRIBUTES}s?)\b)(?:(?!{ATTRIBUTES}s?\b|who\b|that\b|which\b|and\b)[\w'’%€$£.-]+ ){{1,5}}?{_OFTEN}{_VERB}"
    r"(?!\s+['\"]?(?:(?-i:[A-Z0-9_]{1,4})|yes|no|true|false)['\"]?\s*$)"
    rf"|{_LEADS}{_QUANTIFIED} (?!first|last|recent)\w+ \w+|{_LEADS}an? \w+ \w+(?:ed|[^is]s) |{_LEADS}{_THING}\w+ed\b"
)
"""How a clause begins that tells something, where it stands in brackets or is a sentence of its own."""
_OPINION = (
    _LEADS + r"(?!how\b|what\b|which\b|who\b|where\b|if\b)(?:[\w'’-]+ ){1,3}?"
    r"(?:thinks?|thought|says|said|believes?|reckons?|swears)\b"
)
_OPINION_RESTRICTS = (
    r"\b(?:counts?|counted|exclud\w+|includ\w+|should|must|needs?|wants?|do(?:es)?n['’]?t|not|without)\b"
)
_DEFINED = _LEADS + r"(?:(?:an?|the) )?(\w+) (?:is|are|means?)\b"
_RESTRICTS = (
    r"\b(?:counts?|counted|exclud\w+|includ\w+|ignor\w+|leave|leaving|left|only(?! (?:\w+ed|began|came)\b)|just|without"
    r"|w/o|except|unless|not|n['’]?t|nt|no|dont|doesnt|never|none|skip\w*|drop\w*|remov\w+|regardless|means?|meaning"
    r"|null|underscores?|comma\w*|separated|format"
    r"|empty|blank|stored|saved|columns?|fields?|such as|appl\w+|defin\w+|called|fiscal|financial|cents?|pence|minor"
    r"|utc"
    r"|zone|local|need\w*|want\w*|like|interested|looking|show|list|give|put|split|instead|asked|asking|please|pls|plz"
    r"|fy\w*|enough|(?:start|beg[ai]n)s? (?:on|in|with)|in (?:miles|km|kgs?|lbs|pounds?|lit(?:re|er)s?|gallons|euros?"
    r"|dollars?|[a-z]*(?:seconds?|minutes?|hours?)))\b|_\w{1,63} (?:is|are|=)|[=<>]"
)
_FORMULA = (
    r"\b(?:minus|plus|less|divided|times|sum|of what|over all)\b|\b(?:is|are|means?) (?:an?|one|any|every|in)\b"
    r"|(?<!\w)['\"]\w"
)
"""What says how to compute, what a word means, in which unit, or a value."""
_NAMED = lazy(r"(?<!\w)['\"]\w|\b(?!(?:19|20)\d\d\b)\w*\d{3,}|\b[A-Z]+[-*]?\d")
_REFERS = r"\b(?:it|its|he|she|her|his|that one)\b"
_KEPT_ALL = rf"{_RESTRICTS}|{RESTRICTING}"
"""Words by which a clause restricts rows, names a unit, says what a word means, or asks after all."""
_OPEN_KEPT = (
    rf"{RESTRICTING}|"
    r"\b(?:exclud\w+|includ\w+|ignor\w+|count(?:s|ed)? (?:as|once|only)|only|without|except|skip\w*|should|must"
    r"|means?|null"
    r"|empty|stored|columns?|fields?|fiscal|financial|cents?|pence|utc|need\w*|want\w*|looking|show|list|please|pls"
    r"|(?:starts?|beg[aiu]ns?|ends?|runs?) (?:on|in|with|from))\b|_\w{1,63} (?:is|are|=)|[=<>]"
)
"""The fewer words by which a part restricts rows that stands apart and says `we`, `I` or when."""
_KEPT = (
    rf"{_KEPT_ALL}|\b(?:use|using|add|name|print|per|by|between|whose|which|who|that (?:is|are|were|have|had)|at least"
    r"|at most|more than|less than|compare\w*|vs|versus|(?:our|school|book\w*) (?:years?|yrs?)|next|higher|lower"
    r"|(?:few|some|most) [^.;]{0,40}\bha(?:s|ve) (?:an?|one|no))\b"
)
"""The same, and words by which it may."""
_LEFT_OUT = lazy(r"[,;.]? ?(?:so |please |pls )?(?:leave|exclude|skip|ignore|drop) (?:them|those|these|it)\b")
"""What follows on rows that are named only to be left out."""
_FEWEST = 3
"""Words that something which is asked has at least."""
_MOST = 200
"""Clauses of a text up to which it is looked through: each is looked for in the rest."""


def remarks(text: str) -> Ranges:
    """The character ranges of clauses that only tell something, where another clause is left that may ask.

    >>> text = "Kg per boat in May, some are tiny (we have 40 of them)"
    >>> [text[start:end] for start, end in remarks(text)]
    [' some are tiny ', 'we have 40 of them']
    """
    clauses = [match.span() for match in _CLAUSE.finditer(text)]
    if len(clauses) > _MOST:
        return ()
    told = _told(text, clauses)
    left = max((len(text[slice(*place)].split()) for place in clauses if place not in told), default=0)
    return tuple(sorted(told)) if left >= _FEWEST else ()


def _told(text: str, clauses: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """The clauses that only tell something, and those in the same brackets that ask for nothing either."""
    silent = _silent(text)
    brackets = {place: _bracket(text, place[0]) for place in clauses}
    apart = {place for place in clauses if brackets[place] >= 0 or _is_within(place[0], silent)}
    told = {place for place in clauses if _only_tells(text, *place, apart=place in apart)}
    opened = {brackets[place] for place in told} - {-1}
    return told | {
        place for place in clauses if brackets[place] in opened and pattern(_KEPT_ALL).search(text, *place) is None
    }


def _is_within(at: int, places: list[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in places)


def names_what_follows(text: str, start: int, end: int) -> bool:
    """Whether a part of a text names something that what follows calls `it`: `VX-0417 is recalled. Who got it?`"""
    return _NAMED.search(text, start, end) is not None and pattern(_REFERS).search(text, end) is not None


def _is_needed(text: str, start: int, end: int) -> bool:
    """Whether what follows speaks of a clause: calls something in it `it`, or leaves out what it names."""
    return names_what_follows(text, start, end) or _LEFT_OUT.match(text, end) is not None


def tells(sentence: str) -> bool:
    """Whether a sentence begins like one that tells something."""
    return pattern(_STRONG).match(sentence) is not None or pattern(_WEAK).match(sentence) is not None


def _silent(text: str) -> list[tuple[int, int]]:
    """The sentences that ask for nothing, beside others that ask."""
    places = sentences(text)
    silent = [place for place in places if not asks(text[slice(*place)])]
    return silent if len(silent) < len(places) else []


def _only_tells(text: str, start: int, end: int, *, apart: bool) -> bool:
    """Whether a clause states something, and no question mark ends it; more do that stand apart."""
    clause = text[start:end]
    if text[end : end + 1] == "?" or _is_needed(text, start, end):
        return False
    if pattern(_OPINION).match(clause) is not None and pattern(_OPINION_RESTRICTS).search(clause) is None:
        return True
    if (
        pattern(_STRONG).match(clause) is not None
        and pattern(_OPEN_KEPT if apart else _KEPT_ALL).search(clause) is None
    ):
        return True
    if pattern(_KEPT).search(clause) is not None or _defines(clause, text, start, end):
        return False
    general = apart and pattern(_FORMULA).search(clause) is None and pattern(_GENERAL).match(clause) is not None
    return general or pattern(_WEAK).match(clause) is not None


def _defines(clause: str, text: str, start: int, end: int) -> bool:
    """Whether a clause says what a word is that the rest of the text has: `late is after the promised day`."""
    found = pattern(_DEFINED).match(clause)
    rest = f"{text[:start]} {text[end:]}".lower()
    return found is not None and re.search(rf"\b{re.escape(found[1].lower())}", rest) is not None


def _bracket(text: str, place: int) -> int:
    """Where the bracket around a place opens; -1 where none does."""
    opened = text.rfind("(", 0, place)
    return opened if opened > text.rfind(")", 0, place) else -1


_ENDS = lazy(r"[?!\n(]|[.;]\s|\s[-–—]\s|\be\.?g\b")
_NARROWS = lazy(
    r"\b(?:only|just|but|except|exclud\w+|excl|ignor\w+|skip\w*|without|at least|at most|min|max|minimum|maximum|since"
    r"|from|between|until|till|up to|count\w*|includ\w+|incl|limit|use|take|the ones|those|where|and)\b",
    re.IGNORECASE,
)


def is_beside(text: str, start: int) -> bool:
    """Whether a place of the question is beside what it asks: behind its end, in a part that restricts nothing.

    >>> text = "What share came late in April, all towns together? My boss keeps saying it is over 8"
    >>> is_beside(text, text.index("8")), is_beside(text, text.index("April"))
    (True, False)
    """
    ends = [each.end() for each in _ENDS.finditer(text, 0, max(start, 0))]
    return bool(ends) and ends[0] >= _LEAST_ASKED and _NARROWS.search(text, ends[-1], start) is None


_LEAST_ASKED = 20
"""Letters of the shortest part that asks; before it stands a greeting or a heading."""
