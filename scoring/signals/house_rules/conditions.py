"""Whether an answer has the conditions that a tenant's rules state of its tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from scoring.alignment.left_out import anti_joined_blocks, excluded_blocks
from scoring.linking import content_words
from scoring.rules import Convention
from scoring.signals.house_rules.single_rows import is_about_all, is_about_one, pinned_tables
from scoring.specification import Op, SqlFilter, SqlSpec, TokenKind
from scoring.values import Choices, Number, Text, Value
from scoring.verdict import Case
from scoring.words import identifier_words, letters, stem

_FRAME = frozenset("is at on date flag code status state has".split())
_EXACT = frozenset({Op.EQ, Op.IN, Op.NE, Op.NOT_IN})
_KEEPS = frozenset({Op.EQ, Op.IN})
_LEAVES_OUT = _EXACT - _KEEPS
_GAP = 2
"""From one word of a phrase to the next, in words: one may stand between them."""


def lacking(case: Case) -> list[Convention]:
    """The conventions that are meant for the question and the tables of the SQL, and that the SQL has not.

    Of conventions for the same words of the question, such as `open` of two tables, one is enough.
    """
    found = [each for each in _meant(case) if each.required and not _has(each, case)]
    served = {phrase for each in _meant(case) if each.when and _has(each, case) for phrase in each.when}
    return [each for each in found if not each.when or served.isdisjoint(each.when)]


def followed(case: Case) -> list[Convention]:
    """The conventions of the SQL's tables that the SQL has, where the question does not speak of them."""
    return [each for each in _meant(case) if _read_columns(case) & columns_of(each) and _has(each, case)]


def columns_of(convention: Convention) -> set[str]:
    """The names of the columns that it restricts."""
    return {column.name for term in convention.terms if term.lhs is not None for column in term.lhs.columns}


def _meant(case: Case) -> Iterator[Convention]:
    """The conventions for the question, of tables whose rows reach the answer."""
    tables = _tables_that_reach(case.sql)
    said = roots(token.lower for token in case.question.tokens if token.kind is not TokenKind.PUNCTUATION)
    one, pinned, every = is_about_one(case), pinned_tables(case), is_about_all(case)
    listed = one and not case.sql.aggregations
    for each in case.rules.conventions:
        about_one = one or (bool(pinned) and not pinned.isdisjoint(_tables_of(each)))
        meant = not listed and _when(each, said, case) if each.when else not (about_one or every or _spoken(each, case))
        if meant and letters(each.table) in tables:
            yield each


def _tables_of(convention: Convention) -> set[str]:
    """The letters of its table, and of those that stand before its columns."""
    columns = (column for term in convention.terms if term.lhs is not None for column in term.lhs.columns)
    return {letters(convention.table), *(letters(column.table) for column in columns if column.table)}


def _tables_that_reach(sql: SqlSpec) -> set[str]:
    """Letters of the tables whose rows reach the answer."""
    gone, absent = excluded_blocks(sql), _sought_in_vain(sql)
    read = ((block.path, table) for block in sql.blocks if block.path not in gone for table in block.tables)
    return {letters(table) for path, table in read if (path, table) not in absent}


def _sought_in_vain(sql: SqlSpec) -> set[tuple[str, str]]:
    """The tables, with their block, of which an outer or anti join keeps the rows without a partner."""
    absent = anti_joined_blocks(sql)
    return {
        (each.block, each.table)
        for each in sql.joins
        if each.kind == "anti" or (each.kind == "left" and each.block in absent)
    }


def _when(convention: Convention, said: list[str], case: Case) -> bool:
    """Whether the question has one of the convention's phrases, and asks for nothing that it leaves out."""
    return any(says(said, phrase) for phrase in convention.when) and not _speaks_of_others(convention, case)


_MOMENTS = frozenset("at on date ts time timestamp".split())


def says(said: list[str], phrase: str) -> bool:
    """Whether a question (its roots) holds the phrase's words in order, with at most one word between two of them.

    A noun behind `#` stands for a question that counts or lists such rows.

    >>> question = roots("how many open shops did we bill".split())
    >>> says(question, "open shops"), says(question, "billed"), says(question, "shops how"), says(question, "#shops")
    (True, True, False, True)
    >>> says(roots("revenue per shop".split()), "#shops"), says(roots("small shops that closed".split()), "#shops")
    (False, True)
    """
    if phrase.startswith("#"):
        nouns = [[each] for each in dict.fromkeys(said) if _is_called(each, roots([phrase[1:]])[0])]
        counted = any(_in_order(said, [*opener, *noun]) for noun in nouns for opener in _OPENERS)
        return counted or any(noun[0] in said[:_START] for noun in nouns)
    return _in_order(said, roots(phrase.split()))


def _is_called(word: str, noun: str) -> bool:
    """Whether a word is the noun, or what the noun abbreviates.

    >>> _is_called("customer", "cust"), _is_called("shipment", "shpmt"), _is_called("party", "part")
    (True, True, False)
    """
    if word == noun or len(noun) < _ABBREVIATED or word[:1] != noun[0]:
        return word == noun
    letters_left = iter(word)
    if not all(letter in letters_left for letter in noun):
        return False
    return len(word) > len(noun) + 2 if word.startswith(noun) else word[-1] == noun[-1] and len(word) > len(noun) + 1


_ABBREVIATED = 4
"""Letters from which a noun may be an abbreviation."""


def _in_order(said: list[str], words: list[str]) -> bool:
    places = [place for place, word in enumerate(said) if word == words[0]] if words else []
    for word in words[1:]:
        near = [after for place in places for after in range(place + 1, place + 1 + _GAP)]
        places = [after for after in near if said[after : after + 1] == [word]]
    return bool(places)


_OPENERS = (["how", "many"], ["number", "of"], ["list", "of"], ["list"], ["all"], ["which"], ["top"])
"""The roots of words before a noun whose rows are counted or listed."""


def roots(words: Iterable[str]) -> list[str]:
    """The words without plural; verbs in one form, which is not that of the noun: `billed`, `we bill`, not `the bill`.

    >>> roots(["orders", "ordered", "cancellation", "cancelled", "we", "invoice", "invoiced", "invoice"])
    ['order', 'order~', 'cancel~', 'cancel~', 'we', 'invoic~', 'invoic~', 'invoice']
    """
    before = ""
    found: list[str] = []
    for word in words:
        bare = stem(word.lower())
        thing = word.lower().endswith("ings")  # `sailings` are things, whether they sailed or not
        found.append(bare if thing else _verb(bare, _WHOLE) if before in _ACTORS else _verb(bare, _ENDINGS))
        before = bare
    return found


@lru_cache(maxsize=8192)
def _verb(word: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            found = word.removesuffix(ending)
            return f"{found[:-1] if len(found) > _SHORTEST + 1 and found[-1:] == found[-2:-1] else found}~"
    return word


_ENDINGS = ("ation", "ing", "ed")
_WHOLE = (*_ENDINGS, "e", "")
_ACTORS = frozenset("we they you i did to".split())
_SHORTEST = 3
_START = 2


def _read_columns(case: Case) -> set[str]:
    return {column.name for each in case.sql.filters if each.lhs is not None for column in each.lhs.columns}


def _spoken(convention: Convention, case: Case) -> bool:
    """Whether the question itself speaks of what the convention leaves out: `how many test shops`."""
    words = {word for name in columns_of(convention) for word in identifier_words(name)} - _FRAME
    return not words.isdisjoint(case.question.stems)


def _has(convention: Convention, case: Case) -> bool:
    """Whether the SQL has the condition: any one on the column, or, for some words, one that keeps the same codes."""
    if not columns_of(convention) & _read_columns(case):
        return bool(convention.when) and (_tells_by_moment(convention, case) or _counts_apart(convention, case))
    codes = codes_of(convention, case)
    return not convention.when or codes is None or _keeps_the_same(convention, codes, case)


def _keeps_the_same(convention: Convention, codes: Mapping[str, str], case: Case) -> bool:
    """Whether the SQL's conditions keep the same codes, but for those that the question names. True if unknown."""
    columns, wanted = columns_of(convention), _kept(convention.terms, codes)
    own = [each for each in case.sql.filters if each.lhs and columns & {one.name for one in each.lhs.columns}]
    known = [kept for each in own if (kept := _kept_by(each, codes)) is not None]
    if wanted is None or len(known) < len(own):
        return True
    asked = spoken_codes(codes, case.question.stems)
    narrower = wanted if {each.op for each in convention.terms} <= _LEAVES_OUT else wanted & asked
    return any(kept ^ wanted <= asked or kept <= narrower for kept in (*known, _all_of(known), _any_of(known)))


def _tells_by_moment(convention: Convention, case: Case) -> bool:
    """Whether the SQL tells the state of the table's rows by a moment instead: `closed_at IS NULL` for `open`.

    What is not paid may be void, so a moment says nothing of what is overdue or sold.
    """
    is_open = not _OPEN.isdisjoint(word for phrase in convention.when for word in phrase.split())
    return any(
        each.lhs is not None
        and _table(each) == letters(convention.table)
        and not _MOMENTS.isdisjoint(identifier_words(each.lhs.name)[-1:])
        and ((is_open and each.op in (Op.IS_NULL, Op.NOT_NULL)) or _happens_by(each.lhs.name, convention))
        and not any(each.lhs.name in columns_of(other) for other in _others_of_table(convention, case))
        for each in case.sql.filters
    )


_OPEN = frozenset(
    "open active live running ongoing current unsolved unresolved unfinished unanswered backlog pending".split()
)


def _others_of_table(convention: Convention, case: Case) -> Iterator[Convention]:
    return (each for each in case.rules.conventions if letters(each.table) == letters(convention.table))


def _happens_by(column: str, convention: Convention) -> bool:
    """Whether a moment is when rows got the state that a condition keeps: `paid_at` for `status = 'paid'`."""
    event = stem(identifier_words(column)[0])
    kept = [one for each in convention.terms if each.op in _KEEPS for one in _members(each)]
    return event not in _FIRST and len(kept) == 1 and isinstance(kept[0], Text) and stem(kept[0].folded) == event


_FIRST = frozenset(map(stem, ("issued", "created", "booked", "opened", "submitted", "placed")))
"""What happened to rows of later states too."""


def _counts_apart(convention: Convention, case: Case) -> bool:
    """Whether a figure beside others counts the rows by the column: `SUM(closed_at IS NULL)`, `COUNT(CASE …)`."""
    columns = columns_of(convention)
    return any(
        not columns.isdisjoint(column.name for column in each.operand.columns)
        for each in case.sql.projections
        if each.operand.func is not None or each.conditional
    )


def _table(each: SqlFilter) -> str | None:
    columns = each.lhs.columns if each.lhs is not None else ()
    tables = {letters(column.table) for column in columns if column.table}
    return tables.pop() if len(tables) == 1 else None


def codes_of(convention: Convention, case: Case) -> Mapping[str, str] | None:
    """The codes of the one column that it restricts, where the rules list them."""
    columns = columns_of(convention)
    if len(columns) != 1:
        return None
    (column,) = columns
    codes = case.rules.codes
    return codes.get(f"{convention.table}.{column}") or codes.get(column)


def _speaks_of_others(convention: Convention, case: Case) -> bool:
    """Whether the question names a code, by its meaning, that the convention leaves out: `revenue of void invoices`."""
    codes = codes_of(convention, case)
    wanted = _kept(convention.terms, codes) if codes is not None else None
    if codes is None or wanted is None:
        return _spoken(convention, case) if codes is None else False
    return bool(spoken_codes(codes, case.question.stems) - wanted)


def spoken_codes(codes: Mapping[str, str], said: frozenset[str]) -> frozenset[str]:
    """The codes whose meaning the question says."""
    return frozenset([code for code, meaning in codes.items() if means(meaning, said)])


def means(meaning: str, said: frozenset[str]) -> bool:
    """Whether the question says all words of a meaning, or of one of several that ` / ` separates.

    >>> means("sent out / cancelled", frozenset({"cancellation", "rate"})), means("", frozenset({"crate"}))
    (True, False)
    """
    own = frozenset([_state(word) for word in said])
    alternatives = [_meant_words(each) for each in meaning.split(" / ")]
    return any(words and own.issuperset(map(_state, words)) for words in alternatives)


def _state(word: str) -> str:
    return _verb(word, _STATES).removesuffix("~")


def _meant_words(meaning: str) -> tuple[str, ...]:
    """The words that say it: `no-show` is not said by `no`."""
    words = content_words(meaning)
    return words if len(words) > 1 or "-" not in meaning else identifier_words(meaning.replace("-", "_"))


_STATES = ("ation", "ed")


def said_plainly(case: Case) -> frozenset[str]:
    """The stems of the question without those that a `not` or `never` stands right before."""
    tokens = [token for token in case.question.tokens if token.kind is not TokenKind.PUNCTUATION]
    denied: set[str] = set()
    for place, token in enumerate(tokens):
        if token.lower in _DENIES or token.lower.endswith("n't"):
            end = place + 3
            while token.lower != "no" and end <= len(tokens) and tokens[end - 1].lower in {"or", "nor"}:
                end += 1  # `not moved or refunded` denies both
            denied.update(later.stem for later in tokens[place + 1 : end])
    return case.question.stems - denied


_DENIES = frozenset("not never no without except excluding yet non outside".split())


def _kept(terms: Iterable[SqlFilter], codes: Mapping[str, str]) -> frozenset[str] | None:
    sets = [_kept_by(each, codes) for each in terms]
    known = [each for each in sets if each is not None]
    return _all_of(known) if known and len(known) == len(sets) else None


def _all_of(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    first, *others = sets
    return first.intersection(*others)


def _any_of(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset([each for one in sets for each in one])


def _kept_by(each: SqlFilter, codes: Mapping[str, str]) -> frozenset[str] | None:
    """The codes whose rows a condition keeps; `None` where that is not known."""
    if each.op not in _EXACT:
        return None
    values = _members(each)
    named = [code for code in map(_code, values) if code is not None]
    if len(named) < len(values):
        return None
    given = frozenset([each for each in named if each in codes])
    return given if each.op in _KEEPS else frozenset(codes) - given


def _members(each: SqlFilter) -> Collection[Value | None]:
    return each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)


def _code(value: Value | None) -> str | None:
    if isinstance(value, Text):
        return value.folded
    return str(value) if isinstance(value, Number) else None
