"""English of follow-up questions that have a form of their own: `how many is that?`, `break it down by month`."""

from __future__ import annotations

POINTING = (
    r"(?:it|that|this|them|those|these|they|the (?:results?|numbers?|figures?|list|table|answer|output)(?! of\b)"
    r"|(?:that|this) (?:list|table|number|figure|result|one))"
)
"""Words for the answer to the question before."""
UNDONE = (
    r"(?:(?:did|do|does|were|are|was|is|have|has|had|could|can|would|will)(?:n['’]?t| not)|never (?:did|do|does|have"
    r"|has|had|was|were)|(?:did|has|have) never|(?:had|have|has|got|made|did) (?:none|nothing))(?: yet| though)?"
)
"""A verb that is denied, with nothing after it."""
_COLUMNS = (
    r"(?:(?:full|first|last|\w+) )?(?:names?|ids?|e-?mails?(?: addresses)?|addresses|phone numbers|codes|titles"
    r"|urls?)(?:(?: and|,) \w+)?"
)
"""Columns that tell things apart or say how to reach them."""
_FEW_WORDS = (
    r"(?!\S*(?:n't)\b)(?:(?!(?:who|that|which|have|has|had|are|is|were|was|do|does|did|can|how|what|all|many|yet|any"
    r"|anything|in|for|counting|including)\b)[\w'&-]+ ?){1,3}?"
)
"""A thing in at most three words, none of which makes it a clause."""
FORMS: tuple[tuple[str, bool, str], ...] = tuple(
    (name, certain, f"(?:{pattern.replace('POINTING', POINTING)})$")
    for name, certain, pattern in (
        (
            "count",
            True,
            r"(?:just|only)(?: (?:give|show|tell|get)(?: me)?)? (?:the |a |their )?(?:(?:total|overall|final) )?"
            r"(?:count|number|head ?count|tally)(?: of (?:them|those|these|it))?",
        ),
        ("count", True, r"(?:(?:give me|show me|show) )?(?:the |a )?(?:count|number) (?:only|alone)"),
        (
            "aggregate",
            True,
            r"(?:just|only) (?:the |their |an? )?(?P<rest>average|avg|mean|total|sum|maximum|max|minimum|min|median)"
            r"(?: of (?:them|those|these|it|that))?",
        ),
        ("regroup", True, r"(?:just|only) (?:the )?totals? (?:per|by|for each) (?P<rest>.+)"),
        (
            "measure",
            True,
            r"(?:just|only) (?:the )?(?P<rest>(?:total|average|avg|mean|median|number of|count of|sum of) (?!(?:of )?"
            r"(?:them|those|these|it)\b)[\w-]+(?: [\w-]+)?)",
        ),
        (
            "columns",
            True,
            r"(?:(?:just|only)(?: (?:give|show|list|get)(?: me)?)?|(?:give|show|list)(?: me)? (?:just|only)) (?:the "
            rf"|their )?(?P<rest>{_COLUMNS})",
        ),
        ("columns", True, rf"(?:the |their )?(?P<rest>{_COLUMNS}) (?:only|alone|will do|is enough|are enough)"),
        (
            "next",
            True,
            r"(?:(?:show|give|list|get)(?: me)? )?(?:the )?(?:next|following) (?P<rest>\d{1,4}|two|three|four|five|six"
            r"|seven|eight|nine|ten|twenty|fifty)(?: (?:ones|rows|more|of (?:them|those|these)|on the list))?",
        ),
        (
            "undo",
            True,
            r"(?:drop|remove|undo|forget|lose|skip|revert|take (?:away|out|back|off)) (?:that|the|this)"
            r"(?: (?:last|latest|previous) (?:filter|condition|restriction|change|bit|step|one|part)"
            r"|(?<=that) (?:filter|condition|restriction|change|step))(?: again)?",
        ),
        ("undo", True, r"(?:undo|revert)(?: (?:that|this|it))?|(?:take|drop|remove) (?:that|it) (?:back|off|away)"),
        (
            "return",
            True,
            r"(?:(?:can (?:we|you) |let'?s |let us )?(?:go|going|get|switch|return) )?back to (?:the |that )?"
            r"(?P<old>[^,]+?)(?:,? (?:but|and|now|this time) (?P<rest>.+))?",
        ),
        (
            "restore",
            True,
            r"(?:put|bring|take|add|let|get|count) (?:the )?(?P<rest>\w.*?)(?: ones)? back(?: in(?: there| again)?)?"
            r"(?: again)?",
        ),
        (
            "restore",
            True,
            r"(?:take out|take away|drop|remove|lose|forget|ignore|skip|undo) (?:the |that )?(?P<rest>\w[^,]*?)"
            r" (?:thing|filter|condition|restriction|bit|part|criterion)(?:,.*)?",
        ),
        (
            "without",
            True,
            r"(?:take|leave|keep|kick|cut|filter|strip|knock|weed|throw|rule|factor) (?:the |all |any |those )?"
            r"(?P<rest>(?!out\b)[^,]+?)(?: ones)? out(?: of (?:it|that|there|this))?",
        ),
        (
            "without",
            True,
            r"(?:take|leave|keep|kick|cut|filter|strip|throw|rule|weed|factor) out (?:the |all |any |those )?"
            r"(?P<rest>[^,]+)",
        ),
        (
            "without",
            True,
            r"(?:get rid of|hide|lose|(?:don['’]?t|do not) (?:count|include|show)) (?:the |all |any |those )?"
            r"(?P<rest>.+)",
        ),
        ("without", False, r"(?P<rest>(?:[\w'&-]+ ){0,2}[\w'&-]+s) out"),
        (
            "without",
            False,
            r"(?P<rest>[\w' -]{2,40}?) (?:don['’]?t|do not|doesn['’]?t|should ?n['’]?t|should not|must ?n['’]?t"
            r"|must not) (?:count|be counted|be included|be in)(?: here| in (?:it|that|this))?",
        ),
        (
            "without",
            False,
            r"no (?P<rest>(?!(?:by|per|only|just|the|i|in|for|with|sorry|more|less|fewer|wait|longer|as|of|group|limit"
            r"|order)\b)[\w'&-]+(?: [\w'&-]+){0,2})",
        ),
        ("correct", True, r"not (?:the )?(?P<old>[^,]{2,40}?)(?:, (?:but |rather )?| but )(?P<rest>[^,]{2,40})"),
        (
            "correct",
            False,
            rf"(?!i me|the same|same|what about|how about|make |use |only |just )(?P<rest>{_FEW_WORDS}),? (?:and )?"
            rf"not (?:the |in )?(?P<old>{_FEW_WORDS})(?:,? (?:one|two|no|\d) decimals?)?",
        ),
        (
            "correct",
            True,
            r"(?:swap|replace|exchange|switch|change)(?: from)? (?:the )?(?P<old>[^,]{2,40}?) (?:for|with|by|to|into)"
            r" (?:the )?(?P<rest>[^,]{2,40})",
        ),
        (
            "wide",
            True,
            r"(?:(?:just|only|as|give me|show|in|into) )*(?:the |a |one )?(?:(?:overall|grand|single|combined) )+"
            r"(?:figure|number|total|sum|value)(?: (?:for (?:all|everything|everyone)|overall|in total))?",
        ),
        (
            "wide",
            True,
            r"(?:(?:just|only) )?(?:in |as |into )?one (?:figure|number|total|sum|value)(?: (?:for all|overall))?",
        ),
        (
            "limit",
            True,
            r"\d[\w.,]* (?:is|was|seems|sounds|feels) [^,]+, ?(?:so )?(?:(?:take|use|make it|try|let'?s say|say|rather"
            r"|better|go for|do) )?(?P<rest>\d[\w.,]*)",
        ),
        (
            "measure_of",
            True,
            r"how many (?P<rest>(?!of\b|rows\b|records\b|results\b|entries\b|there\b)[\w-]+(?: [\w-]+)?)"
            r" (?:is|are|was|were) (?:it|that|this|they|those)(?: (?:in total|altogether|overall))?",
        ),
        (
            "beside",
            True,
            r"(?P<rest>(?:the )?(?:same|last|previous|this) .+) (?:next to|beside|alongside) (?:it|that|them|this)",
        ),
        ("beside", True, r"with (?P<rest>.+) (?:next to|beside|alongside) (?:it|that|them|this)"),
        (
            "negate",
            True,
            r"(?:(?:show|list|give|get)(?: me)? )?(?:all )?the (?:others|other ones|opposite|reverse|inverse"
            r"|remaining ones)(?: of (?:them|those))?",
        ),
        ("negate", True, rf"(?:who|which(?: ones| of (?:them|those))?) {UNDONE}"),
        (
            "negate",
            True,
            rf"(?:(?:show|list|give|get)(?: me)? )?(?:the \w+|those|ones|any) (?:who|that|which) {UNDONE}",
        ),
        ("negate_count", True, rf"how many(?: of (?:them|those|these))? {UNDONE}"),
        ("list_with", True, r"(?:list|name) (?:them|those|these) (?P<rest>with (?:their|its|the) .+)"),
        (
            "ranked",
            True,
            r"(?:just |only )?(?:the )?(?P<rest>(?:\d{1,3}|two|three|four|five|ten) "
            r"(?:worst|best|biggest|largest|smallest|highest|lowest|longest"
            r"|shortest|slowest|fastest|cheapest|oldest|newest))(?: ones| of (?:them|those|these))?",
        ),
        (
            "count",
            True,
            r"how many (?:(?:rows|records|results|entries) )?(?:is|are|was|were) (?:it|that|this|they|those|these)"
            r"(?: (?:in total|altogether|overall|exactly|all together))?",
        ),
        ("count", True, r"(?:count|number) (?:of )?(?:it|them|that|those|these)"),
        ("count", True, r"how many (?:of them )?there (?:are|is|were|was)(?: (?:in total|altogether|overall))?"),
        (
            "count",
            False,
            r"how many(?: (?:rows|records|results|entries))?(?: (?:are|were) there)?(?: (?:in total|overall))?",
        ),
        (
            "count_of",
            True,
            r"how (?:many|much) of (?:them|those|these|that|it)(?: (?:top )?\d+)?(?: (?!who\b|that\b|with\b)\w+s)?"
            r" (?P<rest>.+)",
        ),
        (
            "count_of",
            False,
            r"how many (?P<rest>(?:are|were|have|had|in|from|with|without|over|under|above|below|via|through|by"
            r"|came (?:via|through|from|by)|come (?:via|through|from|by))\b.+)",
        ),
        (
            "which",
            True,
            r"which (?:ones?|of (?:them|those|these|the ones))(?: (?P<rest>(?:are|is|were|was|have|has|had|did|do"
            r"|does|in|from|with|without|over|under|above|below|cost|sold|made|\w+ed)\b.+))?",
        ),
        (
            "is",
            True,
            r"(?:what|how (?:much|many|high|long|big))(?:'s| is| are| was| were| about) "
            r"(?:it|that|this|they|those|these)(?! (?:day|week|month|quarter|year)s?\b)(?: (?P<rest>.+))?",
        ),
        (
            "show",
            True,
            r"(?:(?:what|who)(?: is| are| was| were|'s)|(?:also )?(?:show|list|give|display|add|include|get)(?: me)?"
            r"(?: also)?) (?P<rest>(?:their|its) .+)",
        ),
        (
            "show",
            True,
            r"(?:put|add|show|place)(?: me)? (?P<rest>.+) (?:next to|beside|alongside|as well as)"
            r" (?:it|that|them|each|each of them|the (?:names?|others?|result))",
        ),
        (
            "limit",
            True,
            r"(?:(?:lower|raise|increase|decrease|reduce|change|set|move|drop|bump) (?:the |that |this )?"
            r"(?:bar|threshold|cut-?off|minimum|maximum|floor|cap|bound|limit)(?: up| down)? to)"
            r" (?P<rest>[$€£]?\d[\w.,]*)(?: \w+)?",
        ),
        (
            "share",
            True,
            r"what (?:share|percentage|percent|proportion|ratio|fraction) (?:is|are|was|were) (?:it|that|this"
            r"|they|those)"
            r"(?: of .+)?",
        ),
        (
            "list",
            True,
            r"(?:who|what|which) are they|(?:list|show|name)(?: me)? (?:them|those|these|that)(?: all| please)?",
        ),
        (
            "group",
            True,
            r"(?:break|split|group|slice|segment|divide|aggregate)(?: (?P<old>each(?: one| \w+)?|those|these|them)"
            r"| POINTING)?(?: (?:down|up|out))? (?:by|per|into) (?P<rest>.+)",
        ),
        (
            "parts",
            True,
            r"(?:show|give|display|see|list|plot|express|do|have|get|want|need|put|view|calculate|compute|present"
            r"|report|break|limit|restrict|filter|narrow)(?: me)? POINTING(?: down)? (?P<rest>.+)",
        ),
        ("order", True, r"(?:sort|order|rank|arrange) POINTING (?:by )?(?P<rest>.+)"),
        ("compare", True, r"compare (?:POINTING )?(?:to|with|against) (?P<rest>.+)"),
        ("compare", True, r"how (?:does|do|did) (?:that|this|it|those) compare (?:to|with|against) (?P<rest>.+)"),
        ("aggregate", True, r"(?:sum|add|total) (?:it|them|that|those|these)(?: (?:all )?up)?"),
        ("aggregate", False, r"what(?: is|'s| was) the (?P<rest>average|mean|total|sum|maximum|minimum|median)"),
        (
            "aggregate",
            True,
            r"what(?: is|'s| was) the (?P<rest>average|mean|total|sum|maximum|minimum|median) of (?:that|those"
            r"|these|them)",
        ),
        ("show", False, r"(?:add|include|also show|show also|plus)(?: me)?(?: also)? (?P<rest>.+)"),
    )
)
"""Forms of a question about the answer before: what each changes, and whether it has no meaning alone."""
