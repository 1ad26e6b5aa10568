"""English: the words of its questions. Another language is another module like this one."""

from __future__ import annotations

from types import MappingProxyType

from scoring.question.english_cues import CUES
from scoring.question.english_names import DEMONYMS
from scoring.question.language import Language, breaks
from scoring.values import Grain


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _ranks(text: str, start: int) -> dict[str, int]:
    return {word: start + place for place, group in enumerate(text.split()) for word in group.split("|")}


_NUMBERS = _ranks(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
    0,
) | {
    f"{tens}ty": ten * 10 for ten, tens in enumerate(["twen", "thir", "for", "fif", "six", "seven", "eigh", "nine"], 2)
}
_ORDINALS = _ranks("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", 1)
_MONTHS = _ranks(
    "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct "
    "november|nov december|dec",
    1,
)
_WEEKDAYS = _ranks(
    "sunday|sundays monday|mondays tuesday|tuesdays wednesday|wednesdays thursday|thursdays friday|fridays "
    "saturday|saturdays",
    0,
)
_ARTICLES = _words(
    "the a an all any some this that these those its their his her my your our whose both respective corresponding "
    "following such every each many much same certain particular specific given"
)
_PREPOSITIONS = _words(
    "of in on at for from to with by about into through during between among amongst within across against along "
    "around as off onto out over per since than toward towards under until up upon via without after before above "
    "below beneath behind beyond near outside inside throughout regarding concerning including based"
)
_COPULAS = _words("is are was were be been being equals equal = 's isn't aren't wasn't weren't becomes became")
_HAVES = _words("have has had having with own owns owning owned got gets hold holds")
_AUXILIARIES = _words(
    "do does did can could will would shall should may might must not don't doesn't didn't can't won't wouldn't"
)
_RELATIVES = _words("that which who whom whose where when what how why while if whether")
_CONJUNCTIONS = _words("and or but nor & plus then so because though although")
_PRONOUNS = _words(
    "i me you we us he him she it they them there here his/her him/her himself themselves itself one ones each other "
    "others another anyone someone everyone nobody himself anything something everything nothing"
)
_ADVERBS = _words(
    "only also just still currently already ever never always most least more less please kindly too very not "
    "respectively together approximately exactly "
    "altogether both either neither yet again first once twice"
)
_VERBS = _words(
    "live lives lived play plays speak speaks spoke use uses make makes made come comes came go goes went "
    "belong belongs took take takes taken wear wears win wins won lose loses lost see sees saw seen say says "
    "said give gives gave given shown appear appears want wants enroll enrolls attend attends participate "
    "participates contain contains include includes produce produces sing sings sang sung written wrote "
    "driven drove flown fly flies flew begin begins began begun pays paid weigh weighs earn earns become "
    "became held built sold sell sells bought buy buys sent known knows know ran does do did done got get "
    "gets put left leave leaves arrive arrives depart departs teach teaches taught studied graduate "
    "graduates published publishes happen happens happened occur occurs exist exists receive receives manage "
    "manages owe owes suffer suffers spend spends spent reside resides prefer prefers stay stays serve "
    "serves marry join joins exceed exceeds meet meets met graduated consist consists started ended "
    "correspond represent represents respond follow follows require requires born died grew bring brings "
    "brought visited ship shipped ordered hire hires bore borne understand allow allows chose chosen spoken "
    "kept keep keeps broke broken ate eat eats drink drinks led beat"
)
_NOT_VERBS = _words(
    "building spring rating ranking king ring wedding speed seed breed need feed red bed engineering "
    "marketing manufacturing training meeting meetings string thing morning evening painting drawing "
    "recording recordings pricing billing shipping spending earning banking funding housing parking seating "
    "heading listing filing setting wing offering warning hearing opening ending beginning reading writing "
    "math swimming boxing fencing cycling racing running shooting skiing united hundred kindred sacred naked "
    "mixed advanced accounting standing consulting advertising mining farming fishing clothing crossing "
    "holding staffing pending weighted aged indeed exceed proceed succeed hatred gasoline bearing dwelling "
    "sterling timing landing loading mailing booking bookings nursing nothing something anything everything"
)
_UNITS = _words(
    "year years month months week weeks day days hour hours hr hrs minute minutes min mins second seconds "
    "sec secs ms millisecond milliseconds cm mm km m kg g mg lb lbs kilometer kilometers kilometre "
    "kilometres meter meters metre metres centimeter centimeters centimetre centimetres mile miles foot feet "
    "inch inches yard yards gram grams kilogram kilograms pound pounds ton tons tonne tonnes liter liters "
    "litre litres gallon gallons percent percentage % $ € £ ¥ dollar dollars euro euros usd eur gbp jpy inr "
    "cents degree degrees celsius fahrenheit gb mb kb tb kwh kw mph bytes times acre acres hectare hectares "
    "psi hp"
)
_MEASURES = _words(
    "point points score scores goal goals vote votes seat seats win wins loss losses page pages employee "
    "employees staff salary income earnings price cost revenue sales profit population capacity height "
    "weight length age area size distance amount budget balance rating ratings rank passengers passenger "
    "attendance quantity units view views like likes credits credit stars star floors floor rooms room "
    "bedrooms stock number count total value duration money worth speed elevation depth followers "
    "subscribers downloads residents"
)
_ORDINARY = _words(
    "id ids name names number no code codes type types date dates time year years month day age score scores "
    "grade grades phone email url address data database table column row rows record records value total "
    "average sum count min max list status state city country region price cost amount rate ratio index "
    "level rank title description category student students customer customers user users order orders "
    "product products team teams player players game games event events member members account accounts "
    "client clients transaction transactions department departments employee employees company companies "
    "population area height weight gender sex mr mrs ms dr prof sir please question answer sql null true "
    "false and or not distinct group limit select where from having join union book books author authors "
    "language languages currency highest lowest top percent percentage difference born held q1 q2 q3 q4 am "
    "pm bc"
)
_OPENERS = _words(
    "what which who whom whose when where how why is are was were do does did has have had can could will "
    "would should list show find give return name state tell provide display identify calculate compute "
    "count please among for of in on at from to by with the a an all if and or but also then between during "
    "that this these those it its he she they their his her there here get select determine mention describe "
    "write indicate enumerate kindly i me we us you your my our not no as after before since until per each "
    "every any some out let rank sort order group first second last next other besides except excluding "
    "including without within whether while only both either neither more most less least many much than "
    "such same so just print report fetch retrieve compare check specify lists assuming given considering "
    "regarding based suppose"
)
_CLASSIFIERS = _words(
    "region city country state county province continent district town village department category class "
    "type kind genre language currency brand manufacturer make model color colour status segment market "
    "industry sector division team club school university college airline airport company publisher position "
    "role major nationality race grade gender format platform channel supplier vendor customer product "
    "series season theme topic subject course program degree feature tag label element street road "
    "neighborhood area zone branch office warehouse store shop plan tier priority severity condition event"
)
_KEYS = _words(
    "id ids number no numbered code num identifier key grade level page chapter section version room flight "
    "round size rank ranked position floor gate unit class age aged year zip bus route serial stage rating "
    "points"
)
_TIME_VERBS = _words(
    "born died founded established opened closed created published released held built completed started "
    "ended hired joined enrolled graduated signed posted launched issued shipped ordered placed purchased "
    "bought sold made updated modified last-modified edited registered happened occurred taken took paid "
    "received approved hosted began finished debuted premiered written recorded produced manufactured "
    "introduced delivered cancelled canceled returned expired due elected married admitted discharged "
    "treated diagnosed arrived departed invoiced booked visited date year birthday birthdate birth month day "
    "time season deadline period dob"
)
_JOINERS = _words("of de van von da di del della la le du el al bin ibn der den ter dos das y")

_LOWER_VALUES = {
    "female": ("f", "woman", "women", "w"),
    "females": ("f", "female", "woman"),
    "male": ("m", "man", "men"),
    "males": ("m", "male", "man"),
    "women": ("f", "female", "woman"),
    "men": ("m", "male", "man"),
    "girls": ("f", "female", "girl"),
    "boys": ("m", "male", "boy"),
}

ENGLISH = Language(
    name="english",
    cues=CUES,
    numbers=MappingProxyType(_NUMBERS | {"dozen": 12}),
    scales=MappingProxyType(
        {
            "hundred": 100,
            "thousand": 10**3,
            "million": 10**6,
            "millions": 10**6,
            "billion": 10**9,
            "trillion": 10**12,
            "dozen": 12,
        }
    ),
    ordinals=MappingProxyType(_ORDINALS),
    units=_UNITS,
    measures=_MEASURES,
    currencies=MappingProxyType({"$": "$", "€": "€", "£": "£", "¥": "¥"}),
    months=MappingProxyType(_MONTHS),
    weekdays=MappingProxyType(_WEEKDAYS),
    grains=MappingProxyType({name: grain for grain in Grain for name in (grain.value, grain.value + "s")}),
    past=_words("last past previous recent preceding prior"),
    future=_words("next coming following upcoming"),
    in_time=_words("in on during of for at within throughout from year since dated"),
    year_words=_words("year years season seasons edition"),
    beginnings=_words("start beginning"),
    endings=_words("end close"),
    centuries=_words("century"),
    halves=_words("half"),
    ranges=MappingProxyType(
        {
            "between": _words("and to - –"),
            "from": _words("to through until till - –"),
            "within": _words("to and - –"),
        }
    ),
    time_verbs=_TIME_VERBS,
    articles=_ARTICLES,
    possessives=_words("its their his her 's"),
    prepositions=_PREPOSITIONS,
    of=_words("of for"),
    copulas=_COPULAS,
    haves=_HAVES,
    relatives=_RELATIVES,
    auxiliaries=_AUXILIARIES,
    pronouns=_PRONOUNS,
    verbs=_VERBS,
    verb_endings=("ing", "ed"),
    not_verbs=_NOT_VERBS,
    adjective_endings=("ive", "ful", "ous", "able", "ible", "ic", "ing", "ed", "ent", "ant", "ial", "ual", "ly"),
    plural_modifiers=_words("sales sports goods news earnings customs arts sciences savings operations species series"),
    than=_words("than"),
    comparative_endings=("er",),
    adjectives=_words(
        "normal abnormal new old young good bad big small large great high low long short same other own "
        "main real "
        "final traditional current former late early full total single double first last next only "
        ""
        "famous popular official local foreign domestic modern ancient north south east west northern southern"
    ),
    conjunctions=_CONJUNCTIONS,
    alternatives=_words("or"),
    either=_words("either"),
    fillers=_words(
        "a an the about around approximately nearly some of that age aged year being is are was were number "
        "value to in for with"
    ),
    by=_words("by"),
    openers=_OPENERS,
    ordinary=_ORDINARY,
    classifiers=_CLASSIFIERS,
    keys=_KEYS,
    letters=_words(
        "letter letters word words substring string character characters phrase prefix suffix text keyword the a an"
    ),
    acronyms=_words("us"),
    currency_codes=("usd", "eur", "gbp", "czk", "pln", "sek", "nok", "dkk", "jpy", "inr", "cad", "aud", "chf", "cny"),
    joiners=_JOINERS,
    lower_values=MappingProxyType(_LOWER_VALUES),
    demonyms=DEMONYMS,
    negative_prefixes=("non-",),
    attributes=MappingProxyType(
        {
            "age": "age",
            "aged": "age",
            "old": "age",
            "weigh": "weight",
            "weighs": "weight",
            "weighing": "weight",
            "costs": "cost",
            "costing": "cost",
            "earn": "earnings",
            "earns": "earnings",
            "earning": "earnings",
            "scored": "score",
            "priced": "price",
            "#": "number",
            "no": "number",
            "numbered": "number",
            "ranked": "rank",
        }
    ),
    breaks=breaks(_PREPOSITIONS, _COPULAS, _HAVES, _AUXILIARIES, _RELATIVES, _CONJUNCTIONS, _PRONOUNS, _ADVERBS),
    weak_defines=(
        "is the",
        "is a",
        "is an",
        "are the",
        "contains the",
        "contains",
        "belongs to",
        "is in",
        "is",
        "are",
        "as",
    ),
    defines=(
        "can be represented as",
        "can be represented by",
        "can be found in",
        "can be interpreted as",
        "is represented by",
        "is represented as",
        "can be shown as",
        "can be calculated by",
        "can be calculated as",
        "is calculated as",
        "is calculated by",
        "is defined as",
        "are defined as",
        "is stored as",
        "is stored in",
        "are stored as",
        "is denoted by",
        "is denoted as",
        "stands for",
        "stand for",
        "refers to",
        "refer to",
        "refering to",
        "referring to",
        "can refer to",
        "may refer to",
        "corresponds to",
        "maps to",
        "mapps to",
        "mapped to",
        "is mapped to",
        "means that",
        "mean that",
        "means",
        "mean",
        "denotes",
        "denote",
        "indicates that",
        "indicates",
        "indicate",
        "represents",
        "represent",
        "signifies",
        "implies",
        "equals to",
        "is equivalent to",
        "is the same as",
        "shows",
        "→",
        "->",
        "=>",
        "⇒",
    ),
)
