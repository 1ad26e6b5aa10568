"""Secrets planted in every place of an answer that is sent to a model."""

from __future__ import annotations

import json
import random
import re
import string

from consumers.wire.rules_document import decode_rules
from scoring.evaluation import examine
from scoring.query import Query
from scoring.rules import JudgePolicy
from scoring.verdict import Case

_CONSONANTS, _ODD_DIGITS = "bcdfgklmnprstvz", "3456789"


def secrets(count: int) -> list[str]:
    """Names, addresses, codes and numbers that stand in no list of words."""
    made = random.Random(7)

    def letters(count: int) -> str:
        return "".join(made.choices(_CONSONANTS, k=count))

    def digits(count: int) -> str:
        return "".join(made.choices(_ODD_DIGITS, k=count))

    forms = (
        lambda: letters(3).capitalize() + "orquin" + made.choice("aeiou"),
        lambda: letters(4) + "ulwex",
        lambda: f"{''.join(made.choices(string.ascii_lowercase, k=9))}@{''.join(made.choices('abcdef', k=5))}.test",
        lambda: "QX" + "".join(made.choices(string.digits, k=6)),
        lambda: digits(7),
        lambda: f"Dr {letters(4).capitalize()}axo Ny{letters(4)}",
        lambda: f"+44 {digits(4)} 7{digits(5)}",
        lambda: f"{made.randint(13, 99)}-{made.randint(13, 99)}-{made.randint(33, 99)}",
        lambda: f"PT{digits(2)} {digits(4)} {digits(4)} {digits(4)} {digits(4)}",
        lambda: f"{made.choice((1957, 1968, 1973, 1984))}-0{made.randint(3, 9)}-{made.randint(13, 28)}",
        lambda: f"{made.randint(13, 28)}/0{made.randint(3, 9)}/{made.choice((1957, 1968, 1973, 1984))}",
        lambda: f"{digits(2)} {letters(4).capitalize()}ull Gate, {letters(3).upper()}{digits(2)} {digits(1)}QZ",
        lambda: f"{letters(5).upper()}-{digits(3)}-{letters(2).upper()}",
        lambda: f"{letters(2).upper()}{digits(1)}{letters(2)}{digits(2)}{letters(3)}",
        lambda: f"({digits(3)}) {digits(3)}-{digits(4)}",
        lambda: f"O'{letters(4).capitalize()}essy",
    )  # fmt: skip
    return [forms[number % len(forms)]() for number in range(count)]


FRESH = tuple(
    each.strip()
    for each in """
    Wojciech Brzęczyszczak|Žofie Kůrková|Nguyễn Thị Quỳnh|Siobhán Ní Dhuibhne|Øyvind Tveiterås|Ayşegül Çağlayan
    Jürgen Großkreutz|François-Xavier Delcambre|Γιώργος Παπαδάκης|Ольга Кузнецова|陈晓琳|山田太郎|김민수|محمد الفاسي
    אריאל בן־דוד|सुनीता शर्मा|Zsófia Szöllősi-Nagy|Þórdís Guðmundsdóttir|Ines da Conceição|Maarten van Quakkelstein
    zsofia.nagy@postahivatal.test|k.brzeczyszczak+faktura@skrzynka.test|ventas@zapateria-ñandu.test|陈@邮箱.test
    tveiteraas_93@fjordpost.test|quoted-person@brevkasse.test|x9y8z7@mx.quornbix.test|rechnung@grosskreutz.test
    4539 5787 6362 1486|5425233430109903|3782-822463-10005|6011000990139424|4917 6100 0000 3943|3530111333300000
    DE89 3704 0044 0532 0130 65|GB29NWBK60161331926819|FR76 3000 6000 0112 3456 7890 189|PL61109010140000071219812874
    ES91 2100 0418 4502 0005 1332|NL91ABNA0417164300|CH9300762011623852957|TR330006100519786457841326
    +48 601 734 958|0049-176-5553847|(0551) 839-4475|+81 90-6543-8876|0033 6 98 45 73 56|+351 936 584 763
    sk_live_9fQ3xZ7vB5nM4kP8|ghp_8Hs6Tq4Wz9Xv3Bn5Rk7|AKIAQ5ZX7VW9K3JH6M4P|eyJhbGciOiJub25lIn0.eyJzdWIiOiI5ODc2NSJ9
    9f86d081884c7d659a2feaa0|ssh-ed25519 AAAAC3NzaQ9x8v|Brzozowa 47/9, 31-486 Kraków|Rua dos Fanqueiros 358, 3.º Esq
    Grünwaldtorstraße 94b, 79098 Freiburg|Calle Ñuñoa 4598, 7.º B|ul. Świętokrzyska 36/65|東京都千代田区九段南三丁目
    893-66-4785|85073198465|QZ-NHS 943 476 5919|RSSMRA85T10A562S|19670823-9847|BSN 639584773
    """.strip()
    .replace("\n", "|")
    .split("|")
)
"""More secrets: names, mails, cards, bank accounts, telephones, keys, addresses and ids in several languages."""

SHAPES = (
    # question, SQL, enriched question, rules, dialect: {0} is planted, {1} in SQL texts, {2} with % between its letters
    ("loans of {0} last month", "SELECT id FROM loans WHERE borrower = '{1}'", None, {}, None),
    ("loans of {0} last month", "SELECT id FROM loans", "loans by the borrower {0}", {}, None),
    ('who wrote "{0}" in the log?', "SELECT author AS a FROM log WHERE note LIKE '%{1}%'", None, {}, None),
    ("how many loans?", "SELECT COUNT(*) FROM loans WHERE note = '{1}' /* {0} */ -- {0}", None, {}, None),
    ("loans by kind", 'SELECT kind AS "{0}" FROM loans', "loans by kind (kind refers to {0})", {}, None),
    ("loans of {0}", "SELECT id FROM loans WHERE kind IN ('x', '{1}')", None, {"benign_filters": ["kind = '{1}'"]}, ""),
    ("what of {0}?", "SELECT id FROM loans WHERE LOWER(kind) = '{1}'", None, {"column_mappings": {"{0}": "kind"}}, ""),
    ("{0}: show its loans", "SELECT CASE WHEN kind = '{1}' THEN 1 END FROM loans", "show the loans of {0}", {}, None),
    ("loans of one member", "SELECT id FROM loans WHERE member = \"{0}\"", None, {}, "mysql"),
    ("loans of {0}", "SELECT id FROM loans WHERE member = \"{0}\"", None, {}, "bigquery"),
    ("loans of {0}", "SELECT id FROM loans WHERE member = \"{0}\"", None, {}, "sqlite"),
    ("loans of one member", "SELECT id FROM loans WHERE member = \"{0}\"", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE member = \"{0}\"", None, {}, None),
    ("loans of {0}", "SELECT id FROM loans WHERE member IN ('x', \"{0}\")", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE member BETWEEN \"a\" AND \"{0}\"", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE member = [{0}]", None, {}, "tsql"),
    ("loans of one member", "SELECT id FROM loans WHERE member = {0}", None, {}, "postgres"),
    ("loans of {0}", "SELECT id FROM loans WHERE member IN (3, {0}) AND kind LIKE {0}", None, {}, "mysql"),
    ("loans of one member", "SELECT l.id AS {0} FROM loans AS l", None, {}, "postgres"),
    ("loans of one member", "WITH {0} AS (SELECT id FROM loans) SELECT id FROM {0}", None, {}, "duckdb"),
    ("loans of one member: {2}", "SELECT id FROM loans", "loans of {2}", {}, None),
    ("loans of one member", "SELECT id FROM loans WHERE member <> `{0}`", None, {}, "mysql"),
    ("loans of one member", "SELECT id FROM loans WHERE member LIKE '{2}'", None, {}, None),
    ("loans of {0}", "SELECT id FROM loans WHERE member LIKE '{2}' ESCAPE '!'", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE member = N'{1}'", None, {}, "tsql"),
    ("loans of one member", "SELECT id FROM loans WHERE member = E'{1}'", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE member = $${0}$$", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE member = $a${0}$a$", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE member = q'[{0}]'", None, {}, "oracle"),
    ("loans of one member", "SELECT id FROM loans WHERE member = U&'{1}'", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE member = b'{1}'", None, {}, "bigquery"),
    ("loans of one member", "SELECT id FROM loans WHERE member = r'{1}'", None, {}, "bigquery"),
    ("loans of one member", "SELECT id FROM loans WHERE member = '''{0}'''", None, {}, "bigquery"),
    ("loans of one member", "SELECT id AS `{0}` FROM loans", None, {}, "mysql"),
    ("loans of one member", "SELECT id AS [{0}] FROM loans", None, {}, "tsql"),
    ("loans of one member", 'SELECT "{0}".id FROM loans AS "{0}"', None, {}, "postgres"),
    ("loans of one member", 'WITH "{0}" AS (SELECT id FROM loans) SELECT id FROM "{0}"', None, {}, "postgres"),
    ("loans of one member", "SELECT /*+ INDEX({0}) */ id FROM loans", None, {}, "oracle"),
    ("loans of one member", "SELECT id FROM loans # {0}\nWHERE kind = 3", None, {}, "mysql"),
    ("loans of one member", "SELECT doc -> '{1}' FROM loans", None, {}, "postgres"),
    ("loans of one member", "SELECT doc ->> '$.{1}' FROM loans", None, {}, "mysql"),
    ("loans of one member", "SELECT JSON_EXTRACT(doc, '$.a[0].\"{1}\"') FROM loans", None, {}, "mysql"),
    ("loans of one member", "SELECT id FROM loans WHERE made > NOW() - INTERVAL '{1}'", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE made > CAST('{1}' AS date)", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE made > '{1}'::text", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE member ~* '^{1}.*$'", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE member = 'x' || '{1}' || 'y'", None, {}, "postgres"),
    ("loans of one member", "SELECT id FROM loans WHERE member = CONCAT('{1}', ' ', 'b')", None, {}, "mysql"),
    ("loans of one member", "SELECT REPLACE(member, '{1}', '') AS m FROM loans ORDER BY m = '{1}'", None, {}, "duckdb"),
    ("loans (member refers to {0})", "SELECT id FROM loans", "loans (member = '{1}'; '{1}' is {0})", {}, None),
    ("LOANS OF {0} IN ALL", "SELECT id FROM loans", "Loans Of {0} In All", {}, None),
    ("loans of <{0}>, [{0}], *{0}*, _{0}_ and `{0}`", "SELECT id FROM loans", "loans: {0}; {0}/{0}|{0}", {}, None),
)  # fmt: skip


def planted(secret: str, shape: tuple) -> Case | None:
    """An answer of that shape with the secret in it, to be judged by a model; None where it is no readable answer."""
    spread = "%".join(["", *secret.replace("'", ""), ""])
    doubled = secret.replace("'", "''")
    whole = json.dumps(shape).replace("{1}", doubled).replace("{2}", spread).replace("{0}", secret)
    question, sql, enriched, rules, dialect = json.loads(whole)
    document = decode_rules({**rules, "judge": {"policy": JudgePolicy.LLM}})
    query = Query(question=question, sql=sql, enriched_question=enriched, dialect=dialect or None)
    case = examine(query, document.rules(version=1))
    return case if isinstance(case, Case) else None


def gone(secret: str, sent: str) -> bool:
    """Whether neither the secret nor any of its words that tell something stands in what is sent."""
    return not leaked([secret], sent)


def leaked(hidden: list[str], sent: str) -> list[str]:
    """The secrets of which something stands in what is sent, spread by marks or not."""
    said = sent.casefold()
    bare = _bare(said)
    return [secret for secret in hidden if any(part in said for part in _parts(secret)) or _bare(secret) in bare]


def _parts(secret: str) -> list[str]:
    words = [word for word in re.split(r"[@.\s,()]+", secret) if len(word) > 3 and word not in ("test", "Gate")]
    return [each.casefold() for each in (secret, *words)]


def _bare(text: str) -> str:
    """The letters and digits of a text, so that marks between them hide nothing."""
    return re.sub(r"[\s%_\"'/-]", "", text.casefold())
