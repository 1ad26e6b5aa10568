"""Words that mean rows with certain codes: `paying = A or D`, `sales exclude draft and void`, `O and W are open`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from learning.dictionary.columns import ColumnKind, kind_of_column, without
from learning.dictionary.findings import WrittenConvention
from learning.dictionary.groups import CodedColumn, CodeGroup, code_groups
from learning.dictionary.mentions import Mention

MOST_WORDS = 4
"""Most words of a phrase that is defined."""
_DEFINES = re.compile(
    r"(?P<equals>=|\bmeans?\b|\bis defined as\b|\brefers? to\b)"
    r"|(?P<leaves>\b(?:excludes?|leaves? out|ignores?|omits?)\b)"
    r"|(?P<counts>\b(?:counts?|includes?|comprises?|(?:has|have) at least one|is|are)\b)",
    re.IGNORECASE,
)
_DEFINED_AFTER = re.compile(
    r"\s*(?:\((?:[^()]*)\)\s*)?(?P<verb>\b(?:are|is|were|was|counts? as|means?)\b)\s+(?:called\s+|all\s+)?"
    r"(?P<phrase>[\"“][^\"”]{2,40}[\"”]|[a-z][a-z-]+(?: [a-z-]+)?)\s*(?P<end>[.;,)]|\Z)",
)
_THESE = re.compile(
    r"\((?:these|all|the first)\s+(?P<count>two|three|four|five|\d)\s+(?:are|count as)\s+"
    r"(?P<phrase>[\"“]?[a-z][a-z -]{2,30}?[\"”]?)\)",
    re.IGNORECASE,
)
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5}
_BRACKETED = re.compile(r"\s*\(([^()]*)\)")
_ALSO = re.compile(r"\(also:?\s+(?:called\s+)?([^()]*)\)", re.IGNORECASE)
_SPLIT = re.compile(r"\s*(?:/|,|;|\band\b|\bor\b)\s*")
_MARKS = re.compile(r"[*`\"“”]|^\s*[-•]\s*")
_LEADING = re.compile(r"^(?:the|a|an|our|so|in everyday talk)\s+", re.IGNORECASE)
_TRAILING = re.compile(r"\s+(?:questions?\Z|without (?:further|more|other)\b.*|alone|in total|\(.*)$", re.IGNORECASE)
_ADVERBS = re.compile(r"\s+(?:always|never|just|simply|only|usually|here)\Z")
_PHRASE = re.compile(r"[A-Za-z][A-Za-z' -]*[A-Za-z]")
_EVERYWHERE = frozenset(
    "it they them this that these those such both all each row rows one ones value values code codes status type null"
    " only which flag column field kind empty there never always not no now do don't".split()
)
_REST = re.compile(
    r"\s*(?:only|ones?|rows?|both|together|\([^()]*\)|,?\s*unless (?:asked|the question\b.*)"
    r"|,?\s*(?:by|dated|with|in|on|any|whatever|which|non-\w+)\b.*|[a-z]+s?\b(?:,?\s*(?:by|dated|with|in)\b.*)?|)\s*[,.;:]?[\s*]*",
    re.DOTALL,
)
_FILLER = re.compile(
    r"(?:\s|\b(?:the|a|an|all|any|every|only|sum|of|in|with|over|count|number|rows?|status|state|code|those|has|have|at|least|one"
    r"|whose|is|are|mean|total|average)\b|[a-z_]+s\b|`[^`]+`|[-+÷/]|\([^()]*\))*",
    re.IGNORECASE,
)


def definitions(sentence: str, known: Sequence[CodedColumn]) -> list[WrittenConvention]:
    """The conditions that a sentence ties to words, for the columns with known codes.

    >>> from learning.dictionary.catalogue import DescribedColumn
    >>> state = CodedColumn(DescribedColumn("orders", "state"), {"P": "paid", "W": "waiting", "X": "void"})
    >>> for text in ("Income / takings = P only.", "Takings exclude W and X.", "W and P are live."):
    ...     print([(each.when, each.predicate) for each in definitions(text, [state])])
    [(('income', 'takings'), "state = 'P'")]
    [(('takings',), "state NOT IN ('W', 'X')")]
    [(('live',), "state IN ('W', 'P')")]
    """
    found: list[WrittenConvention] = []
    for clause in _clauses(_SAYING.sub(r"\g<word> means", sentence)):
        groups = code_groups(clause, known)
        if groups:
            found += _before(clause, groups) or _after(clause, groups)
    return found


_SAYING = re.compile(
    r"\bwhen (?:we|people|they|users|managers) (?:say|speak of|talk about|ask for)\s+"
    r"(?P<word>[\"“'][^\"”']{2,40}[\"”'])"
    r",? (?:we|they|it) (?:always |only |usually )?means?\b",
    re.IGNORECASE,
)


def counted_back(text: str, of: CodedColumn, others: Sequence[CodedColumn] = ()) -> list[WrittenConvention]:
    """What a bracket in a list of codes says of the codes before it: `N new, P in progress (these two are open)`."""
    found: list[WrittenConvention] = []
    for match in _THESE.finditer(text):
        count = _COUNTS.get(match["count"].lower()) or int(match["count"])
        before = _codes_before(text, match.start(), of)
        nearest = max((_codes_before(text, match.start(), each)[-1:] for each in others), default=before[-1:])
        phrases = tuple(phrases_of(match["phrase"]))
        if phrases and len(before) >= count > 1 and before[-1:] == nearest:
            group = CodeGroup(0, 0, of, tuple(code for _, code in before[-count:]), negated=False)
            found.append(_convention(group, group.condition(), phrases))
    return found


def _codes_before(text: str, end: int, of: CodedColumn) -> list[tuple[int, str]]:
    """The codes that a text lists before a place, each with where it stands last, in order."""
    places = [(text.rfind(f" {code} ", 0, end), code) for code in of.codes]
    return sorted((at, code) for at, code in places if at >= 0)


def flag_definitions(sentence: str, mentioned: Sequence[Mention]) -> list[WrittenConvention]:
    """Words whose rows leave out those that a flag marks: `income = net amounts without void ones (is_void = 'Y')`.

    Also what only rows count for: `stars count on shown reviews only: shown_at set and not is_hidden`.
    """
    verb = _DEFINES.search(sentence)
    only = _ONLY.search(sentence)
    if only is not None:
        return [found for each in mentioned if each.start >= only.end() for found in _only(sentence, each)]
    if verb is None or not verb["equals"]:
        return []
    phrases = tuple(phrases_of(sentence[: verb.start()]))
    behind = [each for each in mentioned if each.start > verb.end() and phrases]
    return [
        WrittenConvention(table=each.column.table, predicate=predicate, when=phrases)
        for each in behind
        if _LEFT_OUT.search(sentence[: each.start].rstrip("`( "))
        and (predicate := without(each.column, each.value)) is not None
    ]


def _only(sentence: str, each: Mention) -> Iterator[WrittenConvention]:
    """What rows must have that alone count: a moment that is set, a flag that is not."""
    table, moment = each.column.table, kind_of_column(each.column) is ColumnKind.MOMENT
    predicate = without(each.column, each.value)
    if predicate is not None and re.search(r"\bnot\s+`?\Z", sentence[: each.start]):
        yield WrittenConvention(table=table, predicate=predicate)
    elif moment and re.match(r"`?\s+set\b", sentence[each.end :]):
        yield WrittenConvention(table=table, predicate=f"{each.column.name} IS NOT NULL")


_LEFT_OUT = re.compile(r"\b(?:without|except|excluding|leaving out)\s+(?:[a-z]+\s+){0,2}[a-z]+\Z", re.IGNORECASE)
_ONLY = re.compile(r"\bonly\s*:", re.IGNORECASE)


def _clauses(sentence: str) -> Iterator[str]:
    depth = start = 0
    for place, letter in enumerate(sentence):
        depth += (letter in "([") - (letter in ")]")
        if letter == ";" and depth <= 0:
            yield sentence[start:place]
            start = place + 1
    yield sentence[start:]


def _before(clause: str, groups: Sequence[CodeGroup]) -> list[WrittenConvention]:
    """A phrase, a verb, and the codes."""
    for verb in _DEFINES.finditer(clause):
        behind = [each for each in groups if each.start >= verb.end()]
        if behind and (_tells(verb) or not any(each.end <= verb.start() for each in groups)):
            return _told(clause, verb, behind)
    return []


def _tells(verb: re.Match[str]) -> bool:
    """Whether the verb says for sure that codes follow what they define."""
    return verb["equals"] is not None or verb[0].lower().endswith("one")


def _told(clause: str, verb: re.Match[str], groups: Sequence[CodeGroup]) -> list[WrittenConvention]:
    group = groups[0]
    keeps = not (verb["leaves"] or group.negated)
    between = _NEGATION.sub("", clause[verb.end() : group.start])
    filled = bool(_FILLER.fullmatch(_ONE_THING.sub("", between))) or (not keeps and len(between.split()) <= MOST_WORDS)
    sure = _tells(verb) or not keeps or _follows(between, group)
    one_column = len({each.of.column for each in groups if each.start == group.start}) == 1
    phrases = tuple(phrases_of(clause[: verb.start()]))
    if not (phrases and one_column and filled and sure and _ends(clause[group.end :])):
        return []
    return [_convention(group, group.condition(keeps=keeps), phrases)]


def _follows(between: str, group: CodeGroup) -> bool:
    """Whether the codes follow `is` at once, or several behind `in`: `a job is … P` alone says too little."""
    return not between.strip() or (len(group.codes) > 1 and _HELD_IN.search(between) is not None)


_HELD_IN = re.compile(
    r"\b(?:in|with|whose)\s+(?:(?:the|a)\s+)?(?:(?:status|state|kind|type|code|plan)\s+)?\W*\Z", re.IGNORECASE
)
_ONE_THING = re.compile(r"\b(?:an?|the|one)\s+[a-z]+\b", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:except(?: for)?|excluding|without|other than|leaving out|but not|not)\b", re.IGNORECASE)


def _after(clause: str, groups: Sequence[CodeGroup]) -> list[WrittenConvention]:
    """The codes, a verb, and the phrase."""
    if len({each.of.column for each in groups}) != 1:
        return []
    group = groups[0]
    match = _DEFINED_AFTER.match(clause, group.end)
    before = _MARKS.sub("", clause[: group.start]).strip().lower()
    if match is None or before not in ("", "only") or (len(group.codes) < 2 and before != "only"):
        return []
    phrases = tuple(phrases_of(match["phrase"]))
    return [_convention(group, group.condition(keeps=True), phrases)] if phrases else []


def _convention(group: CodeGroup, predicate: str, phrases: tuple[str, ...]) -> WrittenConvention:
    return WrittenConvention(table=group.of.column.table, predicate=predicate, when=phrases)


def _ends(rest: str) -> bool:
    """Whether nothing follows that restricts the codes further."""
    return _REST.fullmatch(rest) is not None and not re.match(r"\s*(?:if|when|where|and (?!by|dated))\b", rest)


def phrases_of(text: str) -> Iterator[str]:
    """The phrases that a text names, in lower case.

    >>> list(phrases_of('**Paying members** (also: active subs)')), list(phrases_of('"Billed"/"invoiced"'))
    (['paying members', 'active subs'], ['billed', 'invoiced'])
    >>> list(phrases_of("those rows")), list(phrases_of("people of whom nobody ever said that they count"))
    ([], [])
    """
    also = [other for match in _ALSO.finditer(text) for other in _SPLIT.split(match[1])]
    plain = _BRACKETED.sub("", text)
    plain = plain.rpartition(": ")[2] if ": " in plain else plain
    for each in (*_SPLIT.split(plain), *also):
        phrase = _TRAILING.sub("", _LEADING.sub("", _MARKS.sub("", each).strip())).strip().lower()
        phrase = _ADVERBS.sub("", phrase)
        words = phrase.split()
        if (
            _PHRASE.fullmatch(phrase)
            and len(words) <= MOST_WORDS
            and not _EVERYWHERE.issuperset(words)
            and len(phrase) > 2
        ):
            yield phrase
