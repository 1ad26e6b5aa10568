"""Plain words, which name nobody and nothing in particular: only these leave the machine unmasked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import cast

from scoring.linking import STOP_WORDS, SYNONYMS
from scoring.question.english import ENGLISH
from scoring.words import stem

_TABLES = """
auxiliaries adjectives articles attributes classifiers conjunctions copulas cues fillers grains haves in_time keys
letters lower_values measures months not_verbs numbers openers ordinals ordinary past future plural_modifiers
prepositions pronouns relatives scales time_verbs units verbs weekdays year_words beginnings endings halves centuries
currency_codes adverbs
""".split()
"""The tables of the English reader whose words are plain. Its tables of names and nationalities are not."""

_MORE = """
accept access according account across act active activity actual add additional admit advance affect afford after
again against agree aggregate ahead air alert allocate allow alone already alternate amend analyse analysis analyze
animal annual answer appeal apply appoint approach approve approximate archive arrange arrive article asset assign
assist associate attach attempt attend audience audit author automatic available avoid award away back balance band
bank bar base basic batch battery bed before begin behaviour behavior belong below best bet better big bike birth
block blood blue board boat body bonus book boost borrow both bottom box brand break breed brief bring broadcast
broken browse budget build bulk buy cable calculate calendar call camera cancel candidate canned card care carry cart
case cash catalog catalogue catch cause cell certificate chain challenge champion chance change channel chapter charge
chart chat cheap check chief child choice choose claim class clean clear click climate close clothes cloud club coach
coast code cold collect college column combine comment commit committee common community compare compete complaint
complete component compute concert conclude condition confirm connect consider consist construct consult consume
contact contain content contest continue contract contribute control convert cook copy core correct cost count coupon
course court cover crash create credit crew crime crop cross current cut cycle daily damage data database date day
dead deal death debt decide decimal decline decrease default defect define degree delay delete deliver delivery demand
deny department depart depend deposit depth derive design desk destination detail detect determine develop device
diagnosis die diet differ digit direct disable discharge discount discover disease display distance distribute
district divide division document domestic double down download draft draw drink drive drop drug dry due duplicate
duration duty each early earn easy edit education effect efficient effort either elect electric element eligible else
email emit employ empty enable end energy engine enrol enroll ensure enter entire entry environment equal equip error
establish estimate event ever evidence exact exam examine exceed except exchange exclude execute exercise exhibit
exist exit expect expense experience expire explain export express extend external extra face facility factor factory
fail fall false family far farm fast fault feature fee feed female festival few field figure file fill film filter
final finance find fine finish fire first fish fit fix flag flat fleet flight flood floor flow fly follow food foot
force foreign forest form format former forward found frame free frequency fresh friend front fruit fuel full function
fund future gain game garden gas gather gender general generate get gift give global go goal gold good goods govern
grade graduate green gross ground group grow growth guard guest guide gun habitat half hand handle happen hard harvest
head health hear heat heavy height help hide high hire history hit hold holiday home host hot hotel hour house human
hunt ice idea identify idle ill image impact import improve inactive include income increase index indicate individual
industry inform ingredient initial injure input insert inside inspect install instance institute instruct insure
integer intend interest internal interval introduce inventory invest invite invoice involve issue item job join
journal journey judge just keep key kid kind kitchen know lab label lack lake land language large last late later
latest law lawyer lay lead league learn lease least leave lecture left legal lend length less lesson let letter level
library licence license life light like likely limit line link liquid list listen literature little live load loan
local locate log long look lose loss lot loud love low loyal lunch machine mail main maintain major make male manage
manufacture many map margin market married mass master match material matter max maximum maximal meal mean measure
meat media median medical medicine medium meet member mention menu merge message metal meter method middle military
min mind mine minimum minor miss mission mixed mobile mode model modify moment money monitor month monthly mortgage
most mother motor mount mountain mouth move movie multiple museum music name narrow nation native natural near need
negative neighbour neighbor net network never new news next night none normal north note nothing notice null number
nurse object observe obtain occupy occur ocean off offer office officer official often oil old online only open
operate opinion opposite option oral orange orbit order organ organic organise organize origin original other out
outcome output outside outstanding over overall overdue override owe own owner pack package page paid paint pair panel
paper parcel parent park part participate partner party pass passenger past patient pattern pay payment peak pending
penalty pension people per percent perform period permanent permit person personal pet phase phone photo physical
piece pilot pink place plan plane planet plant plate platform play player please point police policy pool poor popular
population port portion position positive possess possible post potential pound power practice predict prefer prepare
prescribe present preserve president press pressure prevent previous price primary print prior priority private prize
probability problem procedure proceed process produce product profession profile profit program programme progress
project promote proof proper property proportion propose protect protein provide public publish pull purchase purple
purpose push put qualify quality quantity quarter quarterly question queue quick quit quota quote race radio rail rain
raise random range rank rare rate rather ratio raw reach react read ready real reason receive recent recipe recommend
record recover red redeem reduce refer reference refund refuse region register regular reject relate release relevant
reliable remain remark remote remove renew rent repair repeat replace reply report represent request require rescue
research reserve resident resign resolve resource respective respond rest restaurant result resume retail retain
retire retrieve return revenue reverse review revise right ring rise risk river road role roll room root rough round
route routine row rule run rural safe salary sale same sample satisfy save say scale scan schedule scheme scholar
school science scope score screen sea search season seat second secret section sector secure see seed seek seem
segment select sell seminar send senior sensor sentence separate sequence serial serve server service session set
settle several sex share sheet shelf shelter shift ship shop short show shut sick side sign signal significant silver
similar simple since single site size skill skip sleep slot slow small smart smoke snow social soft software soil sold
sole solution solve some son song soon sort sound source south space spare speak special specie specific speed spell
spend split spoken sport spot spread spring square staff stage stake stand standard star start state station status
stay steel step still stock stop storage store storm story straight strain stream street strength strike strong
student study style subject submit subscribe subscription subsequent subset subtract succeed success such sugar
suggest suit sum summarise summarize summary summer sun supply support sure surface surgery surname survey survive
suspend sustain swim switch symptom system table take talk tank target task taste tax taxi teach team technical
technician technique telephone television temperature temporary tenant tend tenure term terminal terminate test text
theatre theater theft thing think third thread threshold through ticket tier time tip tissue title today together toll
tool top topic total tour tourist toward tower town toxic toy track trade traffic trail train transaction transfer
transform transit translate transport travel treat treatment tree trend trial trigger trip truck true trust try turn
type typical umpire unable under undergo unique unit university unknown unpaid unresolved unsold unused update upgrade
upload upper urban use used user usual vacant vaccine valid value van variable variety various vary vehicle vendor
venue verify version versus very vessel veterinary via victim video view village visit visitor voice void volume vote
voucher voyage wage wait walk wall want ward warehouse warm warn warranty waste watch water wave way weak wear weather
website week weekly weigh weight well west wet wheel white whole wide width wild win wind window wine winner winter
wire wish withdraw within wood word work worker workshop world worse worst worth wound write wrong yard year yearly
yellow yes yet yield young zero zone
"""
_OF_CODE = """
abs alias array asc avg bigint bool boolean bucket cast ceil char character chr cnt coalesce col concat contains cte
cum cumulative cur current_date current_timestamp cust date_add date_diff date_format date_part date_sub date_trunc
dateadd datediff datepart datetime day dec decimal dense dense_rank desc dim distinct double epoch exists extract fact
first_value float floor fully applied extras partially mismatched benign ignored group_concat having hour ids idx
ifnull iif ilike inner instr int integer interval isnull julianday last_value lcase ldap left len length locate lower
lpad ltrim max md min minute mod month ntile nullif num numeric nvl order ordinal outer over partition pct percent
percent_rank percentile percentile_cont pos position power precision prev qty qualify quantile quarter rank ranked
ranking ratio real regexp replace rn rnk round row row_number rownum rows rpad rtrim safe_divide second smallint sqrt
src stddev strftime string string_agg sub substr substring sum sums timestamp timestampdiff tinyint tmp to_char
to_date tot total trim trunc truncate ts ttl ucase union unixepoch upper using uuid val vals values varchar variance
where window with within without year main scalar derived count counts totals averages result results ranked_rows base
final intersect except union select from where group having distinct case when then else end between like exists null
limit offset fetch join inner outer left right cross natural lateral unnest cte
"""
"""Functions, types and common short names of SQL."""

_WORD = re.compile(r"[a-z]+")
_ENDINGS = ("ing", "ed", "d", "er", "r", "est", "st", "ly", "ment", "or", "ion", "able")


def _words(value: object) -> Iterable[str]:
    """The words of one of the reader's tables, which may be a text, a mapping or a collection."""
    if isinstance(value, str):
        return _WORD.findall(value)
    if isinstance(value, Mapping):
        return [word for key in cast("Mapping[object, object]", value) for word in _words(key)]
    if isinstance(value, Iterable):
        return [word for each in cast("Iterable[object]", value) for word in _words(each)]
    return ()


_PLAIN = frozenset(
    stem(word)
    for text in (_MORE, _OF_CODE, " ".join(SYNONYMS), *STOP_WORDS, *(getattr(ENGLISH, each) for each in _TABLES))
    for word in _words(text)
)
FUNCTION_WORDS = STOP_WORDS | {word for each in ("numbers", "months", "weekdays") for word in getattr(ENGLISH, each)}
"""Words that are plain even with a capital in mid-sentence."""
MONTHS = frozenset(ENGLISH.months)


@lru_cache(maxsize=65536)
def is_plain(word: str) -> bool:
    """Whether a lower-case word, or the word it derives from, is plain.

    >>> [is_plain(word) for word in ("borrowed", "cheapest", "shipping", "kowalski", "lisbon")]
    [True, True, True, False, False]
    """
    word = stem(word)
    if word in _PLAIN:
        return True
    return any(_without(word, ending) for ending in _ENDINGS if word.endswith(ending) and len(word) > len(ending) + 2)


def _without(word: str, ending: str) -> bool:
    rest = word[: -len(ending)]
    doubled = rest[:-1] if rest[-1] == rest[-2] else rest
    return (
        rest in _PLAIN or rest + "e" in _PLAIN or doubled in _PLAIN or (rest[-1] == "i" and rest[:-1] + "y" in _PLAIN)
    )
