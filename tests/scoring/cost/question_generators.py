"""Questions and enriched questions of any size, and events whose question and query grow together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tests.scoring.cost.texts import ASKED, SELECT, Make, Texts, asked, both, each, enriched, rewritten

QUESTIONS: Mapping[str, Make] = MappingProxyType(
    {
        "words": asked("tall"),
        "definitions of tables": asked("CREATE TABLE t{n} (id INT);", "\n", ""),
        "open definitions of tables": asked("CREATE TABLE t{n} (", "\n", ""),
        "labels": asked("Question: tall\nSQL: x", "\n", ""),
        "marks of a chat": asked("<|user|>", "", "Which bakers are tall?"),
        "different words": asked("w{n}x"),
        "quoted words": asked("'x{n}'", " and "),
        "quoted words in double quotes": asked('"Kim {n}"', ", "),
        "open quotes": asked("'x{n}"),
        "apostrophes": asked("baker's"),
        "numbers": asked("{n}"),
        "numbers in a list": asked("{n}", ", ", "Which bakers have number "),
        "number words": asked("twenty", " ", "Which bakers are older than "),
        "years": asked("19{n}", " and ", "Who was born in "),
        "dates": asked("2020-01-{n}", " or ", "Who was born on "),
        "written dates": asked("January {n}, 2020", " or ", "Who was born on "),
        "months": asked("in May 2020", " or ", "Who was born "),
        "periods": asked("in the last {n} days", " or ", "Who was born "),
        "comparisons": asked("older than {n}", " and "),
        "comparisons of things": asked("with more than {n} loaves", " and "),
        "ranges in words": asked("between {n} and 99", " or "),
        "percentages": asked("above {n}%", " or "),
        "amounts": asked("over ${n}", " or "),
        "superlatives": asked("the oldest", " and "),
        "superlatives of things": asked("the highest wage{n}", " and "),
        "top rows": asked("the top {n} bakers", " and ", "List "),
        "names": asked("Anna Lee{n}", " and ", "Who knows "),
        "names in a list": asked("Oslo", ", ", "Which bakers live in "),
        "one long name of a person": asked("Anna", " ", "Who knows "),
        "hyphens": asked("non-stop-{n}"),
        "one word of hyphens": asked("ab", "-"),
        "one long word": asked("ab", ""),
        "negations": asked("not tall"),
        "without": asked("without a loaf{n}", " or "),
        "outputs": asked("name{n}", ", ", "List the ", " of all bakers"),
        "outputs with and": asked("the name{n} of the town", " and ", "What is "),
        "groupings": asked("for each town{n}", " and ", "Count the bakers "),
        "counts": asked("the number of loaves{n}", " and ", "What is "),
        "averages": asked("the average wage{n}", " and ", "What is "),
        "orders": asked("sorted by wage{n}", " and ", "List bakers "),
        "brackets of words": asked("(tall)"),
        "open brackets": asked("("),
        "closing brackets": asked(")"),
        "sentences": asked("Oslo is a town.", " ", ""),
        "questions in a row": asked("Who is tall?", " ", ""),
        "spaces": asked("", " "),
        "lines": asked("tall", "\n"),
        "empty lines": asked("", "\n"),
        "spaces after remarks": asked("", " ", "Not today, nothing, even zero, as thanks for "),
        "sentences of a letter": asked("Oslo is a town, and we like it.", " ", "Which bakers are tall? "),
        "full stops": asked(".", ""),
        "commas": asked(",", ""),
        "Unicode words": asked("żółć"),
        "emoji": asked("🥐"),
        "equals": asked("wage = {n}", " and "),
        "starts with": asked("whose name starts with 'x{n}'", " or "),
        "ratios in words": asked("the ratio of loaves to bakers", " and ", "What is "),
        "both": asked("both x{n} and y{n}", " and "),
    }
)
ENRICHED: Mapping[str, Make] = MappingProxyType(
    {
        "definitions": enriched("x{n} refers to a{n} = {n}", "; "),
        "definitions of one phrase": enriched("bakers refers to kind = {n}", "; "),
        "definitions of one column": enriched("x{n} means wage > {n}", "; "),
        "definitions in words": enriched("x{n} is a kind of loaf", "; "),
        "definitions of conditions": enriched("x{n} refers to a = 1 AND b = 2 OR c IN (1, 2)", "; "),
        "one long definition": lambda n: Texts(
            enriched=ASKED + " (tall refers to " + each("a{n} = 1", n, " AND ") + ")"
        ),
        "definitions of formulas": enriched("rate{n} = SUM(a) / COUNT(b) * {n}", "; "),
        "definitions with dates": enriched("x{n} refers to born > '2020-01-01'", "; "),
        "definitions of asked words": lambda n: Texts(
            question="Which bakers are " + each("tall{n}", n, " and ") + "?",
            enriched="Which bakers are "
            + each("tall{n}", n, " and ")
            + "? ("
            + each("tall{n} refers to a{n} = 1", n, "; ")
            + ")",
        ),
        "definitions and conditions": lambda n: Texts(
            enriched=ASKED + " (" + each("bakers refers to a{n} = {n}", n, "; ") + ")",
            sql=SELECT + each("a{n} = {n}", n, " AND "),
        ),
        "columns in definitions": enriched("x{n} refers to `t`.`a{n}`", "; "),
        "quoted words in Qe": enriched("'x{n}'"),
        "numbers in Qe": enriched("more than {n}"),
        "restated words": enriched("'x{n}'", restated=True),
        "restated comparisons": enriched("older than {n}", restated=True),
        "rewritten quotes": rewritten("name 'x{n}'", "name 'y{n}'"),
        "rewritten comparisons": rewritten("more than {n} loaves", "less than {n}1 loaves"),
        "rewritten numbers": rewritten("wage {n}", "wage 9{n}"),
        "rewritten years": rewritten("a loaf in 19{n}", "a loaf in 20{n}"),
        "rewritten periods": rewritten("loaves in the last {n} days", "loaves in the last 9{n} days"),
        "kept quotes": rewritten("name 'x{n}'", "name 'x{n}'"),
        "kept comparisons": rewritten("more than {n} loaves", "over {n} loaves"),
        "rewritten superlatives": rewritten("the highest wage{n}", "the lowest wage{n}"),
    }
)
_JOINTS = "-_.:/'&@+"
_PHRASES = MappingProxyType(
    {
        "output": "List the {w} of all bakers.",
        "aggregate": "What is the average {w}?",
        "comparison": "Which bakers have a {w} greater than 5?",
        "columns": "Which bakers have a a{w} later than a{w}?",
        "value": "Which bakers have name '{w}'?",
        "group": "Count the bakers for each {w}.",
        "superlative": "Which baker has the highest {w}?",
        "order": "List bakers sorted by {w}.",
        "name": "Who knows Anna{w}?",
        "definition": "Which bakers are tall? (tall refers to {w} = 1)",
        "defined": "Which bakers are tall? ({w} refers to wage > 1)",
    }
)
_QUERIES = MappingProxyType(
    {
        "outputs": lambda n: f"SELECT {each('ab{n}', min(n, 99), ', ')} FROM t",
        "conditions": lambda n: SELECT + each("ab{n} > {n}", min(n, 99), " AND "),
        "values": lambda n: SELECT + "a IN (" + each("'ab{n} ac{n}'", n, ", ") + ")",
        "names of parts": lambda n: f"SELECT {each('ab{n}', n, '_')} FROM t",
        "names of humps": lambda n: f"SELECT {each('Ab{n}', n)} FROM t",
        "text of words": lambda n: f"{SELECT}a = '{each('ab{n}', n, ' ')}'",
    }
)


def _joined(phrase: str, joint: str, query: Callable[[int], str], *, in_evidence: bool) -> Make:
    def make(number: int) -> Texts:
        text = phrase.replace("{w}", each("ab{n}", number, joint))
        if in_evidence:
            return Texts(question="Which bakers are tall?", enriched=text, sql=query(number))
        return Texts(question=text, sql=query(number))

    return make


JOINED: Mapping[str, Make] = MappingProxyType(
    {
        f"one word joined by {joint}: {place}{' in Qe' if in_evidence else ''}, {kind}": _joined(
            phrase, joint, query, in_evidence=in_evidence
        )
        for turn, joint in enumerate(_JOINTS)
        for place, phrase in _PHRASES.items()
        for row, (kind, query) in enumerate(_QUERIES.items())
        for in_evidence in ((turn + row) % 2 == 0,)
        if joint in "-_" or (turn + row) % 3 == 0
    }
)
"""A grammar of events with one long word: each mark that joins it, each place of the question, each kind of query."""
BOTH: Mapping[str, Make] = MappingProxyType(
    {
        "quotes and parameters": both("'x{n}'", SELECT, "a{n} = ?", " AND "),
        "comparisons and parameters": both("more than {n} loaves", SELECT, "loaves{n} > :x{n}", " AND "),
        "quotes and an IN list": both("'x{n}'", SELECT + "a IN (", "'x{n}'", ", ", ")"),
        "quotes and another IN list": both("'x{n}'", SELECT + "a IN (", "'y{n}'", ", ", ")"),
        "quotes and IN lists": both("'x{n}'", SELECT, "a{n} IN ('x{n}', 'y')", " AND "),
        "quotes and equalities": both("'x{n}'", SELECT, "a = 'x{n}'", " OR "),
        "quotes and ANDs": both("'x{n}'", SELECT, "a{n} = 'x{n}'", " AND "),
        "quotes and other ANDs": both("'x{n}'", SELECT, "a{n} = 'y{n}'", " AND "),
        "quotes and decoys": both("'x{n}'", SELECT, "TRIM('x{n}') = 'x{n}'", " AND "),
        "quotes and ORs": both("'x{n}'", SELECT, "a{n} = 'x{n}'", " OR "),
        "quotes and unions": both("'x{n}'", "", "SELECT a FROM t WHERE b{n} = 'x{n}'", " UNION "),
        "quotes and numbers": both("'x{n}'", SELECT, "a{n} = {n}", " AND "),
        "quotes and LIKEs": both("'x{n}'", SELECT, "a LIKE '%x{n}%'", " OR "),
        "numbers and an IN list": both("{n}", SELECT + "a IN (", "{n}", ", ", ")", ", "),
        "numbers and equalities": both("number {n}", SELECT, "a{n} = {n}", " AND "),
        "comparisons and bounds": both("more than {n} loaves", SELECT, "loaves{n} > {n}", " AND "),
        "comparisons and other bounds": both("more than {n} loaves", SELECT, "loaves < {n}", " AND "),
        "dates and ranges": both("a birth in 19{n}", SELECT, "born{n} >= '2020-01-01'", " AND "),
        "years and equalities": both("a birth in 19{n}", SELECT, "year = 19{n}", " OR "),
        "names and parts": both("Anna Lee{n}", SELECT, "first = 'anna' AND last = 'lee{n}'", " AND "),
        "one name and parts": lambda n: Texts(
            question=f"Who is '{each('w{n}', n, ' ')}'?", sql=SELECT + each("a = 'w{n}'", n, " AND ")
        ),
        "negations and NOTs": both("not 'x{n}'", SELECT, "a <> 'x{n}'", " AND "),
        "outputs and columns": both("name{n}", "SELECT ", "name{n}", ", ", " FROM t", ", "),
        "outputs and other columns": both("name{n}", "SELECT ", "wage{n}", ", ", " FROM t", ", "),
        "words and columns": lambda n: Texts(
            question=each("word{n}", n, " "), sql="SELECT " + each("term{n}", n, ", ") + " FROM t"
        ),
        "words and conditions": lambda n: Texts(
            question=each("word{n}", n, " "), sql=SELECT + each("term{n} = 1", n, " AND ")
        ),
        "words and texts": lambda n: Texts(
            question=each("word{n}", n, " "), sql=SELECT + each("a = 'term{n}'", n, " AND ")
        ),
        "words and tables": lambda n: Texts(
            question=each("word{n}", n, " "), sql="SELECT 1 FROM " + each("term{n}", n, ", ")
        ),
        "groupings and keys": both("a town for each area{n}", "SELECT 1 FROM t GROUP BY ", "zone{n}", ", "),
        "superlatives and order": both("the highest wage{n}", "SELECT 1 FROM t ORDER BY ", "pay{n} DESC", ", "),
        "averages and functions": both("the average wage{n}", "SELECT ", "AVG(pay{n})", ", ", " FROM t"),
        "definitions, words and conditions": lambda n: Texts(
            question=each("word{n}", n, " "),
            enriched=each("word{n}", n, " ") + "? (" + each("word{n} refers to term{n} = 1", n, "; ") + ")",
            sql=SELECT + each("term{n} = 2", n, " AND "),
        ),
    }
)
