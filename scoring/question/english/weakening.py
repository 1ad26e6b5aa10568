"""English words that take a condition away instead of saying which rows it keeps."""

from __future__ import annotations

QUANTIFIERS = frozenset(
    "all any anybody anyone anything anywhere arbitrary every everybody everyone everything "
    "everywhere whatever whatsoever whichever whoever wherever".split()
)
"""Words that keep every row where nothing else in the definition restricts them."""

DROPS = (
    r"\bignor(?:e|es|ed|ing)\b", r"\bdisregard(?:s|ed|ing)?\b", r"\bregardless\b", r"\birrespective\b",
    r"\b(?:no|not|never|n't|nt) +(?:really +)?(?:matters?|care|apply|applies|applicable|count|important|relevant"
    r"|significant|necessary|needed|required|mandatory|restrict(?:ed|ing|ive)?|filter(?:ed|ing)?|limit(?:ed|ing)?"
    r"|consider(?:ed)?|check(?:ed)?|appl(?:y|ied)|use[d]?|include[d]? as a)\b",
    r"\b(?:no|zero|without|free of|lacks?|lift(?:s|ed)?|remov\w*|drop\w*|skip\w*|omit\w*|discard\w*|waiv\w*) +"
    r"(?:\w+ +){0,3}?(?:conditions?|filters?|filtering|restrictions?|constraints?|limits?|limitations?|where|clause)\b",
    r"\bno +need\b", r"\boptional(?:ly)?\b", r"\birrelevant\b", r"\bunimportant\b", r"\bimmaterial\b",
    r"\bun(?:needed|necessary|filtered|restricted|limited|constrained|bounded|conditional(?:ly)?)\b", r"\bwild ?card\b",
    r"\b(?:can|may|should|must|could|to) +be +(?:left|skipped|dropped|omitted|removed|ignored|waived|relaxed)\b",
    r"\bleft? +(?:it +)?out\b", r"\bn/a\b", r"\bnot +a +(?:condition|filter|restriction|constraint)\b",
    r"\bsafely\b", r"\balways +(?:true|holds|satisfied|met|the case)\b", r"\btautolog\w*\b",
    r"\bno +(?:difference|effect|meaning|filters?|conditions?|restrictions?)\b", r"\bmeaningless\b", r"\bdecorative\b",
    r"\b(?:don'?t|do +not) +(?:filter|restrict|limit|care|bother|check|use|apply)\b", r"\bnothing\b", r"\bnot +mean\b",
    r"\balready +(?:applied|filtered|restricted|handled|done|satisfied|met|in)\b", r"\bnoise\b", r"\btypo\b",
    r"\bmistake\b",
)  # fmt: skip
"""Patterns of phrases that tell to leave a condition out."""

DROP_STARTS = frozenset(
    "alre alwa deco disc disr do don dont drop free igno imma irre lack lef left lift mean mist n neve no nois not "
    "noth nt omit opti rega rela remo safe skip taut typo unbo unco unfi unim unli unne unre waiv wild with "
    "zero".split()
)
"""The first four letters of the words that the phrases of `DROPS` begin with, or of the verb after `can be`."""

COMPARISONS = {
    "over": ">", "above": ">", "more than": ">", "greater than": ">", "larger than": ">", "exceeding": ">",
    "higher than": ">", "at least": ">", "no less than": ">", "minimum of": ">", "under": "<", "below": "<",
    "less than": "<", "fewer than": "<", "smaller than": "<", "lower than": "<", "at most": "<", "no more than": "<",
    "up to": "<", "maximum of": "<",
}  # fmt: skip
"""The side on which each comparison of the question keeps values."""

NEGATIONS = frozenset(
    "not no non never without isn't aren't doesn't don't wasn't weren't didn't outside except excluding other lacking "
    "neither nor exclude excludes unlike apart".split()
)
"""Words that negate the phrase after them."""

UNITS = frozenset(
    "second minute hour day week month quarter year decade century thousand million billion percent % k m bn km "
    "kilometre kilometer metre meter cm mm mile foot feet inch yard kg gram g lb pound ounce tonne ton litre liter "
    "dozen cent cents dollar euro celsius fahrenheit gb mb kb tb byte".split()
)
"""Units: a number of one may be stored as another number of another."""

FLAGS = frozenset(
    "active archive archived available blocked cancelled closed confirmed current deleted disabled done enabled "
    "expired flag hidden is has locked open paid processed public published removed status valid verified "
    "visible".split()
)
"""Words of columns that say in which state a row is, not what it is named."""
