"""English of follow-up questions: how a fragment begins, what it points at, and which words change the question."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.question.english.tables import words

OPENERS = lazy(
    r"(?:(?:and|or|but|so(?! far)|now|then|ok|okay|also|hm+|uh+m?|um+|oh|ah|sorry|oops|my bad)\b[,.!… ]*"
    r"|(?:hm+|oh|ah|no|yes|sorry|great|thanks|cool)[,. ]+(?=(?:ok|okay|so|and|but|sorry|no|now|i mean|i meant)\b)"
    r"|(?:great|thanks|thank you|thx|please|cool|perfect|nice|alright|all right|well|yes|yeah|no(?!\. ?of\b)|sure"
    r"|got it|good|hm+|oh|ah|(?:that'?s |it'?s )?too (?:detailed|long|many|much|fine|coarse|granular)"
    r"|(?:that |it )?looks? (?:good|right|plausible|fine|great)|makes sense"
    r"|hi|hey|actually|sorry|wait|next|finally|interesting|super|awesome|right|fine)\b *[,.!;:–-]+ *"
    r"|(?:no|sorry|hm+|oh|ah) (?=(?:by|per|i mean|i meant|only|just|sorry|for|in|as|with|without)\s))+",
    re.IGNORECASE,
)
"""What a speaker says before the question itself."""
LEADS = lazy(
    r"(?:(?:what|how) about|what if (?:it'?s|it is|we take)?"
    r"|(?:(?:the )?same(?! (?:period|time|days?|weeks?|months?|quarters?|range)\b)|likewise)"
    r"(?: (?:thing|question|query|report|numbers?|figures?|list|table|again|analysis"
    r"|for all))?"
    r"(?: (?:again|please|but|just|only|now|with|as before))*"
    r"|(?:do|repeat|run|show|give me|redo)(?: me)? (?:the same|that|this|it)(?: (?:again|but|just|only))*"
    r"|(?:make|turn) (?:it|that|this|them)(?: (?:into|to))?"
    r"|(?:change|switch|set|move|adjust) (?:it |that |this |them |the \w+ |\w+ )?(?:to|over to|into)"
    r"|i (?:meant|mean|was asking about)|(?:use|take|try)(?= .* instead))(?!\w)",
    re.IGNORECASE,
)
"""What only a follow-up begins with; the change comes after it."""
REQUESTS = lazy(
    r"(?:please |kindly )?(?:(?:can|could|would|will) (?:you|we|i)(?: please)? "
    r"|i(?:'d| would)? ?(?:like|want|need)(?: to)?(?: (?:see|know|have|get))? |let'?s |let me "
    r"|(?:just |only )?tell me )"
    r"(?:see |have |do )?",
    re.IGNORECASE,
)
"""Polite words before a request."""
TAILS = lazy(
    r"[\s,]*\b(?:please|pls|too|as well|again|though|then|now|thanks|for me|this time|perhaps|maybe)$", re.IGNORECASE
)
"""Polite words after it."""
INSTEAD = lazy(
    r"[\s,]*\b(?:instead(?: of (?P<of>[\w -]{2,40}))?|rather(?: than (?P<than>[\w -]{2,40}))?|(?:and )?not by \w+)$",
    re.IGNORECASE,
)
"""Says that the change takes the place of something."""
ASKING = lazy(
    r"(?:what|which|who|whom|whose|how|where|when|why|list|show|give|find|get|count|tell|display|return"
    r"|calculate|compute"
    r"|name|select|fetch|please|is|are|was|were|do|does|did|has|have|had|can|could|should|will)\b"
    r"|.*(?:\bhow (?:many|much|long|often)\b|\bwhat\b|\b(?:in|for|from|at|on|of|with|by|to|during|after"
    r"|before) (?:which|whom|whose)\b"
    r"|\bplease [a-z]+|\b(?:i|we)(?:'d| would)? (?:need|want|like|have|had)\b|[,:;] ?(?:list|show|give|find|get"
    r"|count|return|which|who)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""A question or a request of its own."""
SHOWING = lazy(
    r"^(?:(?:show|give|list|display|do|get|see|have)(?: me)? (?=(?:the )?(?:only|just|by|per|top|bottom|without)\b)"
    r"|(?:count|keep|include|consider|take|use) (?=(?:only|just)\b))",
    re.IGNORECASE,
)
"""A request for the same answer: `show only …`, `give me the top 5`."""
HEADS = lazy(
    r"(?<![\w-])(?:(?P<group>(?:broken? (?:it )?down|split|grouped?|sliced?|aggregated?|segmented)(?: (?:up|out))?"
    r" (?:by|per|into)"
    r"|by(?! (?:the )?end)|per|for (?:each|every)|in each)"
    r"|(?P<order>(?:sort|order|rank|arrang)(?:ed)?(?: (?:it|them|that|this|those|these|the (?:list|results?)))? by"
    r"|sort(?:ed)?(?= (?:from \w+ to|in (?:de|a)scending|alphabetical|descending|ascending))|(?=in (?:de"
    r"|a)scending order))"
    r"|(?P<rank>(?:the )?(?:top|bottom|first|last|best|worst|highest|lowest|largest|biggest|smallest)"
    r" (?:\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|twenty|fifty)(?! ?(?:days?|weeks?|months?"
    r"|quarters?|years?"
    r"|hours?|minutes?)\b))"
    r"|(?P<share>as (?:an? )?(?:percent\w*|percentage|share|proportion|fraction|ratio)|in (?:percent\w*|%)"
    r"|as (?:an? )?%)"
    r"|(?P<without>without|excluding|exclud\w+|except(?: for)?|other than|but not|leav\w+ out|ignor(?:e|ing)"
    r"|omit(?:ting)?"
    r"|(?:drop|skip)(?:ping)?(?= (?:the|all|any|those|everything|\w+(?:ed|ive) ))|remov(?:e|ing)"
    r"|filter(?:ing)? out|minus|apart from|not (?:in|from|for|the|including))"
    r"|(?P<only>only|just|limit(?:ed)? (?:it |them |that )?to|restrict(?:ed)? (?:it |them |that )?to"
    r"|narrow(?:ed)? (?:it |them |that )?(?:down )?to|filter(?:ed)?(?: (?:it|them|that))?(?: (?:by|to|for|on))?)"
    r"|(?P<wide>in total|overall|altogether|all together|in all|of all time|regardless of|irrespective of"
    r"|(?:for|across|in|from) (?=all\b|every\b|any\b|the whole\b|the entire\b))"
    r"|(?P<compare>(?:compared?(?: (?:it|that|this|them))? (?:to|with|against)|versus|vs\.?))"
    r"|(?P<bound>(?:over|above|under|below|more than|less than|fewer than|at least|at most|greater than|higher than"
    r"|lower than|longer than|shorter than|older than|younger than|bigger than|smaller than|exceeding|no more than)"
    r"(?= [\d$€£]))"
    r"|(?P<place>in|for|from|at|on|of|during|since|after|before|until|till|between|within|to|through|with|having"
    r"|who|that"
    r"|which|where|whose|via|using))(?= |$)",
    re.IGNORECASE,
)
"""Where a part of a fragment begins, by what it changes."""
NUMERALS = {name: place for place, name in enumerate("two three four five six seven eight nine ten".split(), 2)} | {
    "twenty": 20,
    "fifty": 50,
}
ONES = lazy(
    r"(?:only |just |all )?(?:the |those |these )?(?P<kind>(?:[\w'-]+ ){0,3}?)(?:ones\b|one$)\s*(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
"""`the active ones`, `ones from Graz`."""
THOSE = lazy(
    r"(?:only |just )?(?:those|these)\s+(?P<rest>(?:who|that|which|with|without|in|from|at|on|of|over|under|above"
    r"|below|whose|having|where|created|placed|made)\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
"""`those from Graz`."""
AGGREGATES = lazy(
    r"(?:the |its |their |an? |on )?(?P<name>average|avg|mean|total|sum|maximum|max|minimum|min|median|highest"
    r"|lowest|count)"
    r"(?: (?:one|value|of (?:that|those|these|them|it)))?$",
    re.IGNORECASE,
)
"""An aggregate without a noun of its own."""
AGGREGATE_WORDS = r"(?:average|avg|mean|total|sum of|sum|maximum|max|minimum|min|median|highest|lowest)"
SHARES = lazy(
    r"(?:the |a )?(?:percent\w*|percentages?|share|proportion|ratio|fraction|%)(?: (?:of (?:the )?(?:total|all)"
    r"|instead|each))?$",
    re.IGNORECASE,
)
DIRECTIONS = lazy(
    r"(?:(?:in )?(?:de|a)scending(?: order)?|asc|desc|alphabetical(?:ly)?|reversed?|the other way (?:a?round|about)"
    r"|(?:by )?(?:newest|oldest|highest|lowest|largest|smallest|biggest|latest|earliest|most|least|best|worst"
    r"|cheapest|most expensive|longest|shortest|slowest|fastest|heaviest|lightest|busiest|\w{3,}est)(?: \w+)?"
    r" (?:first|on top|at the top))$",
    re.IGNORECASE,
)
"""A direction of sorting."""
ALL = lazy(
    r"(?:all(?: of (?:them|it))?|everything|everyone|everybody|overall|in total|in all|altogether|in general"
    r"|ever|of all time"
    r"|the total|the whole thing|worldwide|globally|everywhere)$",
    re.IGNORECASE,
)
"""Takes a restriction away."""
WHOLE_KINDS = lazy(
    r"(?:all|every|any|each|the (?:whole|entire))(?: of)?(?: the)? (?P<kind>\w+)(?: \w+)?$", re.IGNORECASE
)
"""`all countries`, `the whole year`."""
UNITS = lazy(
    r"(?:thousands?|millions?|euros?|eur|dollars?|usd|pounds?|gbp|cents|francs?|chf|yen|hours?|minutes?|seconds?"
    r"|days?|weeks?"
    r"|months?|years?|kilos?|kg|tons?|tonnes?|grams?|litres?|liters?|km|kilometers?|kilometres?|miles|metres?"
    r"|meters?|mwh|kwh)"
    r"(?: (?:of )?(?:euros?|dollars?))?$",
    re.IGNORECASE,
)
"""What amounts are measured in."""
EARLIER = lazy(
    r"(?:(?:in|for|during) )?(?:(?:the )?(?P<unit>day|week(?:end)?|month|quarter|year) (?:before(?: that)?|prior)"
    r"|(?:(?:the )?same (?:period|time|dates?|days?|weeks?|months?|quarters?) )?(?:a|one|the) (?P<one>year|quarter"
    r"|month|week|day) (?:before|earlier|prior)(?: that)?"
    r"|(?:the )?(?:previous|prior|preceding) (?P<same>day|week|month|quarter|year|one|period)"
    r"|(?:the )?same (?:period|time|dates?|days?|weeks?|months?|quarters?|range)(?: of| in)?"
    r" (?:last|the previous|the prior|the) (?P<whole>year|yr)(?: before)?"
    r"|(?:the )?same (?:period|time|dates?|days?|weeks?|months?|quarters?|range) (?:a|one) (?P<ago>year)"
    r" (?:ago|earlier|before))$",
    re.IGNORECASE,
)
"""The period before the one that was asked for."""
LATER = lazy(
    r"(?:(?:in|for|during) )?the (?:(?P<unit>day|week|month|quarter|year) after(?: that)?"
    r"|(?:next|following) (?P<same>day|week|month|quarter|year|one|period))$",
    re.IGNORECASE,
)
OWNED = lazy(
    r"(?:with |and |including |plus |add |include |show |also )*(?:their|its|his|her|the|each one's)\s+", re.IGNORECASE
)
"""Before what is to be shown of the things asked for."""
TIME_UNITS = words(
    "day days week weeks month months quarter quarters year years hour hours weekday weekdays date daily weekly monthly"
    " quarterly yearly annually hourly"
)
ADVERBS_OF_TIME = {"daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter"} | {
    "yearly": "year",
    "annually": "year",
    "hourly": "hour",
}
EMPTY = words(
    "the a an for in on at of by to with and or only just ones one those these them that it same please data"
    " figures numbers"
    " results values people items records entries"
)
"""Words of a fragment that name nothing."""
STARTERS = words(
    "and or but so now then ok okay also great thanks thank thx please cool perfect nice alright all well yes"
    " yeah no sure got"
    " good hm hmm oh ah hi hey actually sorry wait next finally interesting super awesome right fine same the"
    " likewise do repeat"
    " run redo make turn change switch set move adjust i use take try can could would will we let let's lets kindly"
    " by per broken break split grouped group sliced slice segment segmented aggregated aggregate divide for in"
    " each sort sorted"
    " order ordered rank ranked arrange arranged top bottom first last best worst highest lowest largest biggest"
    " smallest as"
    " without excluding exclude except other leaving leave ignore ignoring omit omitting drop dropping skip"
    " skipping remove"
    " removing filter filtering filtered minus apart not only just limit limited restrict restricted narrow"
    " narrowed overall"
    " altogether regardless irrespective across from compare compared versus vs vs. over above under below more"
    " less fewer at"
    " greater higher lower longer shorter older younger bigger smaller exceeding on of during since after before"
    " until till"
    " between within to through with having who that which where whose via using add include including plus"
    " those these ones"
    " sum total average avg mean median count number percentage share percent descending ascending newest oldest"
    " daily weekly"
    " monthly quarterly yearly today yesterday this previous count keep tell put lower raise increase decrease reduce"
    " bump place looks look makes consider that's it's swap replace exchange undo revert back go put hide get kick"
    " strip forget lose both neither anything everything everyone anyone oops nope uh um a an one my rather"
)
"""What a fragment may begin with."""
ASKS = words(
    "how what what's who who's which show list give display see get name compare plot express put view calculate"
    " report present"
)
"""What a question begins with that may point at the answer before."""
POINTERS = lazy(
    r"\b(?:it|that|them|those|these|they|their|its|ones?|also|about|if)\b"
    r"|\bthis\b(?! (?:day|week|month|quarter|year|season|term|morning|fiscal|calendar)\b)"
    r"|^(?:show|give|list|display|do|get|see|have)(?: me)? (?:the )?(?:only|just|by|per|top|bottom|without)\b"
    r"|^compare|^what(?: is|'s| was) the \w+$|^how many$"
    r"|^how many (?:are|is|were|was|have|had|in|from|with|over|under|via|through|by"
    r"|came (?:via|through|from|by)|come (?:via|through|from|by))\b",
    re.IGNORECASE,
)
"""Words that point at the answer before."""
