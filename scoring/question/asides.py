"""Finds words of a question that ask for nothing: `delivered or not`, `so far`, `keep the ones without tickets`."""

from __future__ import annotations

import re
from functools import cache

from scoring.question.tokens import Ranges

_ABSENT = (
    r"(?:without|w/o|with (?:no|none|zero|0)|(?:that|who|which) (?:have|has|had) no(?:ne)?|having no(?:ne)?"
    r"|(?:that|who|which) (?:do|does|did|have|has|had)(?:n['’]?t| not)"
    r"|(?:that|who|which) \w+ (?:nothing|none|nobody))\b"
)
_KEPT = (
    r"(?:keep|keeping|counting|(?:also|still) (?:show|list|include|the ones|those)"
    r"|(?:show|list) (?:also|even|the ones|those))\b"
)
_DENIED = r"(?:do|does|did|should|must|shall|will)(?: not|n['’]?t) (?:count|matter)\b"
_REMARKS = (
    "is|are|was|were|has|have|had|use|uses|means?|meaning|there|there's|can|may|should|does|do|don['’]?t|rows?|i\\.e"
    "|e\\.g|one|because|so|some|each|counts?|keep|show|include|incl"
)
_RESTRICTS = (
    r"(?:only|just|those|these|the ones|where|with|without|excl|except|not counting|if)\b"
    r"|[^()]*\bnot (?:to )?(?:be )?count"
)
"""What a remark in brackets begins with, or says, that restricts rows. One with a value restricts them too."""
_RUNS = r"(?:is|means|runs|was|beg[aiu]ns?|start(?:s|ed)?)\b"
_CLAUSE = r"[^.?!;()]{0,80}"
_BEGINS = r"(?:beg[aiu]ns?|starts?|started|runs?|ends?|carr(?:y|ies))\b"
_STARTS = r"(?:^|(?<=[.?!;(,])|(?<= [-–]))\s{0,9}"
_ENDS = r"(?=\W*(?:$|[.?!;)]))"
_ASKING = r"(?:how|what|if|whether|when|where|who|which|the|their|its)"
_STAYS = r"(?:counts?|belongs?|stays?|(?:is|are) (?:fine|ok|okay)|gets?|appears?|shows?)"
_WANTS = r"(?:show|give|add|list|include|need|want|split|by|per|with)\b"
_MEASURED = (
    r"(?:best|worst|highest|lowest|biggest|largest|smallest|longest|first|last|latest|earliest|average|avg|total|sum"
    r"|planned|number|count|\w{3,}est)"
)
_STORES = r"(?:has|have|holds?|contains?|keeps?|stores?|gets?|is|are)"
_HOLDS = r"(?:(?:can |may |could )?have|has)"
_NOT_TO = r"(?:do not|don['’]?t)"
_LEFT_OUT = (
    r"[^.?!;,]{0,30}\b(?:ones|those|cancel\w*|tests?|deleted|refunded|internal|void\w*|closed|drafts?|staff|yet"
    r"|incl\w*|count\w*)\b"
)
_OCCASIONS = (
    r"(?:qbrs?|decks?|slides?|board|meeting|presentation|newsletter|audit|call|workshop|offsite|all-hands|bursar|auditors?"
    r"|boss|investors?)"
)
_ASIDES = (
    ("or not", r"(?:[,(;]|\b(?:whether|regardless)\b)[^,.;()?]{0,40}?\bor not\b(?: (?:they|it)\b[^,.;()?]{0,40})?"),
    ("think", r"(?<=[.?!])\s{0,9}(?:i |we )?think [^.?!;]{1,60}"),
    ("today", r"\bwho(?:['’]?s| is) (?:the|our|my) [^.?!,]{1,30} (?:for|of) [^.?!,]{1,30}?(?P<aside> today)\b"),
    ("", rf"\b{_KEPT}[^.;()?]{{0,40}}?\b{_ABSENT}[^,.;()?]{{0,60}}"),
    ("", rf"\b(?:incl\.?|including|even)(?: the| all| those)?(?: \w+){{0,2}} {_ABSENT}[^,.;()?]{{0,60}}"),
    (
        "",
        rf"\b{_ABSENT}[^,.;()?]{{0,40}}\b(?:should|shd|must|need to) (?:also |still )?"
        rf"(?:show|appear|stay|be (?:in|on|there|listed|shown|included)|count)\b[^,.;()?]{{0,30}}",
    ),
    ("", rf"\b{_ABSENT}[^,.;()?]{{0,40}}\b(?:too|as well|also|included)(?=\W*(?:$|[,.;)?]))"),
    ("not necess", r",?\s{0,9}\bnot necessarily\b[^.?!;,]{0,60}"),
    ("today", r"[,(]?\s{0,9}\b(?:not (?:including|counting|incl)|excluding|excl|ignoring)\b\.? today\b\)?"),
    ("today", r"[,(]?\s{0,9}\btoday (?:is |itself )?(?:not (?:included|counted)|excluded|excl)\b\.?\)?"),
    ("(", rf"\((?!{_RESTRICTS})[^()'\"\d]{{0,120}}?(?:=|[,;] ?not\b|\b(?:{_REMARKS})\b)[^()'\"\d]{{0,120}}\)"),
    ("(", r"\(not (?:per|the|by|as|just|only|an?|average|counting)\b[^()]{0,60}\)"),
    ("count", rf"(?<=[.?!;,])\s{{0,9}}(?:\w+ ){{1,4}}{_DENIED}(?: yet| either| here)?(?=\s{{0,9}}(?:$|[.?!;,)]))"),
    ("count", rf"\([^()]{{0,80}}\b{_DENIED}[^()]{{0,20}}\)"),
    (
        "min",
        r"\b(?:in|as) mins?\b(?=\W*(?:$|[,.;)?])| (?:over|across|per|by|for|from|since|during|between|this|last)\b)",
    ),
    ("no", r"\b(?:no\.? ?|number )(?:1|one)\b"),
    ("ask", r"[,;–-]?\s{0,9}\bdon['’]?t ask(?: me)?(?: why| how)?\b"),
    ("weigh", r",?\s{0,9}\b(?:with )?(?:every|each) \w+ (?:weighing|counting)\b[^.?!;,()]{0,30}"),
    ("together", r"\b(?:taken )?together by (?:weight|volume|value|quantity|size)\b"),
    ("in a row", r"\b(?P<aside>\d+)(?= (?:or more |\+ )?(?:[\w-]+ ){0,3}\w+s in a row\b)"),
    ("once", r"(?<=[.?!;,(])\s{0,9}each (?:\w+ )?(?:just|only|counts?) once\b"),
    ("most", r"\bmost (?:of (?:them|these|those|the) )?(?:have|had|has|are|were|do|did)\b"),
    ("far", r"\bso far\b(?! this\b)"),
    (", in ", r", in (?:whole |full )?(?:days|hours|minutes|seconds|weeks|months|percent|[a-z]?wh|kg|tonnes)(?=[,?])"),
    # rows that stay in with a zero
    ("", r",?\s{0,9}\b(?:zero|0|nil|nothing|blank|empty)\b (?:if|for|when|where)\b[^.;?()]{0,60}"),
    ("", r",?\s{0,9}\b(?:show|shows|showing|with|as) (?:a )?(?:0|zero|nil)\b (?:for|if|when|where)\b[^.;?()]{0,60}"),
    ("even", r",?\s{0,9}\beven (?:when|if|though|where|those|the ones|for)\b[^.,;?()]{0,60}"),
    # groups of numbers, which keep all rows
    (
        "",
        r"\b(?:bucket|band|bracket|bin|group|split|tier)\w*\b[^.?!:()]{0,60}[:(] ?"
        r"(?:(?:under|over|below|above|less than|more than|up to|[<>]=?) ?)?\d[\d.]*(?:,\d{3})*k?"
        r"(?: ?(?:-|–|to(?: below| under)?) ?\d[\d.]*(?:,\d{3})*k?)?\+?[,;/]"
        r"[^.?!()a-z]{0,60}(?:(?:under|over|below|above|less than|more than|up to|and|or|to)\b[^.?!()a-z]{0,60}){0,8}",
    ),
    # sentences that explain
    ("whole", r"(?<=[.?!;,(])\s{0,9}(?:please |pls )?(?:count|take|use)(?:ing)? (?:the )?whole\b[^.?!;()]{0,60}"),
    ("no ", r"(?<=[.?!;(])\s{0,9}an? \w+ (?:that|which|who) [^.?!;()]{0,60} (?:has|have) no [^.?!;()]{0,40}"),
    ("matter", r"(?:^|(?<=[.?!;,]))[^.?!;,]{0,80}\b(?:does|do)(?: not|n['’]?t) matter\b[^.?!;,]{0,20}"),
    ("count", r"(?:^|(?<=[.?!;,]))[^.?!;,]{0,80}\bcounts? as\b[^.?!;,]{0,60}"),
    ("", rf"(?:^|(?<=[.?!;,(])\s){_CLAUSE}\b(?:fiscal|financial)\b{_CLAUSE}?\b{_BEGINS}{_CLAUSE}"),
    (
        "we ",
        rf"(?<=[.?!;,(])\s{{0,9}}\b(?:we|ours|it) {_BEGINS} (?:on |in )?(?:the )?(?:\d{{1,2}}\w{{0,2}} )?\w{{3,9}}\b",
    ),
    ("like ", r"[,:(]\s{0,9}\b(?:like|such as|for example)\b [^,.;()?]{1,40}"),
    ("vat", r"\b(?:excl(?:uding|\.)?|incl(?:uding|\.)?|without|before|after|net of|ex|plus) vat\b"),
    ("tax", r"\b(?:excl(?:uding|\.)?|incl(?:uding|\.)?|without|before|after|net of|ex|plus) (?:sales )?tax(?:es)?\b"),
    ("includ", r"(?<=included)\s{0,9}\([^()]{0,80}\)"),
    ("not ", r"\b(?:heads|people|persons|ppl|bodies|customers|members|patients|users|guests)( not \w+s)\b(?=\W|$)"),
    ("not ", r",?\s{0,9}\bnot (?:those|these|that|them|it)\b(?=\W*(?:$|[,.;)?]))"),
    ("blank", r"\([^()]{0,60}\b(?:can|may) (?:stay|be|remain) blank\b[^()]{0,30}\)"),
    ("=", r"\([^()=]{0,60}\b\d[\d.]*(?:%| \w{1,9})? ?= ?\d[^()]{0,30}\)"),
    ("rank", r",\s{0,9}(?:rank )?1 ?= ?[^,.;?]{1,40}"),
    # remarks on what stays in, what does not matter and how rows are stored
    ("care", rf"{_STARTS}[^.?!;,()]{{0,40}}\b(?:do|does)(?:n['’]?t| not) (?:really )?care\b{_CLAUSE}"),
    ("", rf",?\s{{0,9}}\b(?:no matter|regardless(?: of)?|irrespective of|whatever) {_ASKING}\b[^.?!;,()]{{0,60}}"),
    ("", rf"{_STARTS}(?!{_WANTS})[^.?!;,()]{{1,60}}\b{_STAYS}\b[^.?!;,()]{{0,30}}\b(?:too|as well|also)\b{_ENDS}"),
    ("", rf"{_STARTS}(?:every|each) [^.?!;,()]{{1,40}}\b(?:counts|weighs)\b{_CLAUSE}"),
    ("", rf"{_STARTS}[^.?!;,()]{{1,60}}\b(?:must|should|shd|shall) (?:weigh|count)\b{_CLAUSE}"),
    ("", rf",?\s{{0,9}}\b(?:not|nt) (?:what|when|how|where)\b{_CLAUSE}"),
    ("", rf"[,(]\s{{0,9}}(?:not|nt) (?:the|their|its|his|her) {_MEASURED}\b[^.?!;()]{{0,40}}"),
    ("_", rf"{_STARTS}(?:the |our )?(?:table )?[a-z]+(?:_[a-z0-9]+)+ {_STORES} {_CLAUSE}"),
    (
        "",
        rf"{_STARTS}(?:each|every|an?|one|most|some) (?!of\b)[^.?!;,()]{{1,40}}? {_HOLDS} {_CLAUSE}",
    ),
    (
        "",
        rf"(?:so |and |please |pls )?\b{_NOT_TO}"
        rf" (?:let|double|multiply|mix|worry|bother|forget|gimme|average)\b{_CLAUSE}",
    ),
    ("no ", r"\bno (?:names?|details?|list|breakdown|rounding|ids?) (?:needed|required|necessary)\b"),
    ("future", r"\b(?:that(?:['’]?s| is| are)|which (?:is|are)) not in the future\b"),
    ("second", r"\bthe first\b[^,.;?!]{1,20}\bthe second\b"),
    ("some", r"[,;.?!]\s{0,9}some (?:do|did|have|had|make|work|buy|come|get)\b[^.?!;,]{0,60}"),
    ("some", r"[,;.]\s{0,9}some [^.?!;]{1,60}?\bsome\b[^.?!;]{0,40}"),
    ("", r"(?<=[.?!;,(])\s{0,9}[^.?!;,()]{1,40}\b(?:can|may) (?:be|stay|remain) (?:empty|blank|null)\b[^.?!;,]{0,30}"),
    ("need", rf"(?:^|(?<=[.?!;,]))[^.?!;,]{{1,60}}\b(?:i|we) {_NOT_TO} need\b[^.?!;,]{{0,30}}"),
    (
        "same ",
        r"[.?!;,(]\s{0,9}(?:the )?same \w+ [^.?!;]{0,60}"
        r"(?:= ?(?:1|one)|counts? (?:as )?(?:once|one)|is (?:still )?one)\b",
    ),
    ("stay out", r"\b(?:with|w/?) (?:nothing|none|zero|0)\b[^.?!;,]{0,20}\bstay out\b"),
    (
        "",
        r"(?:^|(?<=[.?!;,]))\s{0,9}if [^.?!;,]{0,30}\b(?:ties?|tied|level|draw)\b[^.?!;,]{0,10}"
        r"\b(?:idc|any|either|whatever)\b[^.?!;,]{0,30}",
    ),
    ("missing", r"(?:^|(?<=[.?!;,]))\s{0,9}if [^.?!;,]{1,30} is missing\b[^.?!;,]{0,40}"),
    ("=", r"(?<=[.?!;,(])\s{0,9}[a-z]+(?: \w+)? ?= ?[a-z][^.?!;,()\d]{2,60}(?=$|[.?!;,)])"),
    ("i mean", r"\bi mean [^.?!;]{1,80}, ?(?:not|nt) [^.?!;]{1,80}"),
    # what a text is for, when it is needed, and who signs it
    (
        "same as",
        r"\bsame as (?:the |our )?(?:last|previous|usual|before)[^.?!;,\n]{0,40}?"
        r"(?:\bbut\b|\bexcept\b|(?=[.?!;,\n]|$)):?",
    ),
    (
        "for ",
        r"(?:^|(?<=[.?!;,(\n])|(?<= [-–]))\s{0,9}(?:it['’]?s |this is |need (?:it|this|that) )?for"
        rf" (?:the |my |our |a |an |tomorrow['’]?s )?(?:[\w-]+ ){{0,2}}{_OCCASIONS}\b(?: \w+)?(?=\W*(?:$|[.?!;,:\n-]))",
    ),
    (
        "need",
        r"\b(?:need|want)(?:ed)?(?: it| this| that| them)? (?:by|before|until)"
        r" (?:\w+day|tomorrow|noon|eod|tonight|lunch|next week)\b",
    ),
    ("for ", r"\bfor (?:the |my |our |a |an )?(?:[\w-]+ )?(?:decks?|slides?|newsletter|presentation)(?=\W*$)"),
    ("\n", r"\n\s{0,9}[-–—/~]?\s{0,9}(?-i:[A-Z][a-zà-ÿ]+)\s{0,9}\Z"),
    # contrasts, which say again what is asked
    (
        "not ",
        rf"[,(–-]\s{{0,9}}not (?!{_LEFT_OUT})(?:by |in |on |per |from |just |the |as )?[\w' ]{{2,40}}"
        r"(?=\s{0,9}(?:$|[.?!;)]))",
    ),
    ("not ", r",?\s{0,9}\b(?:but )?not (?:in |on )?both\b"),
    ("else", r",?\s{0,9}\b(?:and |but )?(?:nothing|nobody|no one|none) else\b"),
    (
        "must",
        r"(?:^|(?<=[.?!;,]))[^.?!;,]{0,60}\bmust(?: not|n['’]?t)"
        r" (?:weigh|pull|count|drag|lower|skew|push|change)\b[^.?!;,]{0,60}",
    ),
    ("count", rf"(?:^|(?<=[.?!;,]))[^.?!;,]{{0,40}}\b(?:do|does)(?: not|n['’]?t) count (?:towards?|for|as)\b{_CLAUSE}"),
    ("over", r"\b(?:today|this (?:day|week|month|year)) (?:is not|isn['’]?t) over\b[^.?!;]{0,40}"),
    ("", r"\b(?:nobody|no one|noone|none|nothing)\b[^,.;()?]{0,40}\b(?:should|must|shd)\b[^,.;()?]{0,40}"),
    (
        "",
        r"\b(?:someone|somebody|anyone|who(?:ever)?) (?:who|that)? ?[^.?!;,]{1,40}"
        r" is (?:still )?(?:only )?one\b[^.?!;,]{0,20}",
    ),
    ("no ", r"\bno (?:need (?:to|for)|rush|hurry)\b[^.?!;:,()]{0,40}"),
    ("", rf"{_STARTS}(?:but|while|whereas) [^.?!;,()]{{1,80}}\b(?:does|do|did|is|are|was|were)(?:n['’]?t| not){_ENDS}"),
    ("fy", rf"(?<=[.?!;(,\s])\s{{0,9}}\b(?:\w+ )?fy ?['’]?\d\d(?:\d\d)? ?(?:=|:|{_RUNS})[^.;()?]{{0,60}}"),
)
"""What a text with such an aside holds, and the aside: the whole match, or the group in it.

What follows a gap is bounded, so time is linear.
"""


def asides(text: str) -> Ranges:
    """The character ranges that neither restrict rows nor name what is asked for, apart from one another, in order.

    >>> text = "parcels per courier in May, delivered or not"
    >>> [text[start:end] for start, end in asides(text)]
    [', delivered or not']
    """
    found: list[tuple[int, int]] = []
    lower = text.casefold()
    for word, source in _ASIDES:
        if word in lower:
            pattern = _compiled(source)
            found += [match.span(pattern.groups) for match in pattern.finditer(text)]
    return tuple(_apart(sorted(found)))


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


def _apart(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges without those that begin within one before them."""
    kept: list[tuple[int, int]] = []
    for start, end in ranges:
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept
