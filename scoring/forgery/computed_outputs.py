"""What an output or sort key computes beyond one value, and the words of a question that ask for it."""

from __future__ import annotations

import re
from types import MappingProxyType

from scoring.patterns import lazy
from scoring.specification import Void, VoidKind
from scoring.verdict import Case, Finding


def computed_unasked(case: Case) -> Finding | None:
    """An output or order with a function such as SQRT, or one aggregate added to another, where no word asks for it."""
    voids = [void for void in case.sql.voids if void.kind is VoidKind.COMPUTED]
    if not voids:
        return None
    text = f"{case.question.text} {case.query.enriched_question or ''}".casefold()
    if not case.question.superlatives:
        voids = [void for void in voids if void.values != _REORDERED]
    unasked = next((void.text for void in voids if _is_unasked(void, text)), None)
    return Finding(1.0, f"computed: {unasked}") if unasked is not None else None


def _is_unasked(void: Void, text: str) -> bool:
    kinds = ("function",) if "function" in void.values else void.values
    return _SIGN.search(text) is None and any(_ASKED[each].search(text) is None for each in kinds)


_REORDERED = ("reordered",)
_SIGN = lazy(r"[\w)%\]]\s*[*/^×÷]\s*[\w(]|[\w)\]]\s+[-+]\s+[\w(]|\w\(")
"""A formula in an enriched question."""
_MORE = (
    r"twice|doubl|tripl|squar|both|pair|combin|together|sum|total|plus|\badd|overall|altogether|\band\b|multipl|product"
)
_ASKED = MappingProxyType(
    {
        "function": re.compile(
            r"squar|root|sqrt|\blog|\bln\b|power|cube|expon|geometric|distan|near|clos|within|\bfar|radius|deviat|varian|"
            r"\bstd|correl|regress|\bsin|\bcos|\btan|angle|degree|bearing|volatil|\bnorm|magnitude|growth|compound|"
            r"annual|entropy|\bbit|flag|mask|hex|length|digit|revers|encod|formula|score|index|random|sampl|shuffle|rate|"
            r"latitude|longitude|coordinat|locat|permut|factorial|euclid|significan|confiden|z-?test"
        ),
        "text": re.compile(
            r"length|long|short|charact|letter|digit|symbol|\bword|\bpart|first|last|middle|initial|prefix|suffix|begin|"
            r"start|\bend|extens|replac|remov|strip|clean|revers|backward|hash|md5|\bsha|encod|code|format|display|domain|"
            r"abbrev|year|month|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\bday|date|decade|centur|hour|\btime|minute|second|week|quarter|\bzip|mask|anonym|label|"
            r"\burl|link|text|string|\bunit|currenc|percent|%|\$|€|follow|preced|append|quote"
        ),
        "chosen": re.compile(
            r"\bif\b|otherwise|else|whether|unless|when|case|instead|default|at (?:most|least)|max|min|\bcap\b|capped|"
            r"limit|larg|great|high|small|low|less|more|either|which|best|both|class|categ|label|flag|rate|level|status|\bno\b|"
            r"none|null|missing|empty|treat|percent|ratio|average"
        ),
        "other row": re.compile(
            r"previous|prior|preced|before|earlier|next|follow|after|later|subsequent|consecut|success|chang|differ|growth|"
            r"compar|first|last|latest|earliest|most|initial|final|open|clos|start|\bend|top|best|oldest|newest|highest|"
            r"lowest|least|went up|went down|rose|\bfell|drop|increas|decreas|rais|\bcut|cheaper|dearer|"
            r"\bper\b|each|every|month|\bday|year|week|trend|\blag|\blead|\brow|rank"
        ),
        "reordered": re.compile(
            r"near|clos|distan|\bfar|absolut|differ|deviat|remaind|modul|divis|random|sampl|shuffl|length|long|short|"
            r"charact|letter|digit|alphabet|lexic|\btext|revers|then by|priorit|ratio|\brate|\bper\b|propor|percent|"
            r"share|null|missing|\beven|\bodd|magnitude|chang|extreme|balanc|error|gap|margin|invers|recipr|efficien|density|"
            r"average|status|categ|whether|first those"
        ),
        "subtracted": re.compile(
            r"differ|minus|less|fewer|more|exceed|gap|rest|remain|left|other|net\b|chang|grow|increas|decreas|lost|without|"
            r"\bno\b|\bnot\b|n't\b|\bnon|never|except|exclud|neither|lack|miss|compar|than|versus|\bvs\b|over|margin|"
            r"duplicat|repeat|unique|distinct|un\w{4}|subtract|deduct|only|still|balance|absent|fail|out of"
        ),
        "doubled": re.compile(_MORE),
        "scaled": re.compile(
            r"percent|%|rate|share|ratio|proportion|fraction|thousand|million|billion|hundred|dozen|\bper\b|"
            r"times|each|twice|doubl|tripl|half|estimat|cents?\b|hour|minute|second|day|week|month|year|point|score|weight|\d"
        ),
        "mixed": re.compile(
            rf"{_MORE}|differ|minus|less|fewer|more|exceed|gap|range|between|ratio|rate|per\b|percent|%|"
            r"share|times|deviat|score|index|weight|formula|calculat|comput|estimat|revenue|cost|profit|value|amount|"
            r"income|balance|net\b|gross|remain|left|growth|increas|decreas|chang|with\b|includ"
        ),
    }
)
"""By what is computed: the words that ask for it."""
