"""English words that hold a sentence together, and its verbs."""

from __future__ import annotations

from scoring.question.english.tables import words

ARTICLES = words(
    "the a an all any some this that these those its their his her my your our whose both respective corresponding "
    "following such every each many much same certain particular specific given"
)

PREPOSITIONS = words(
    "of in on at for from to with by about into through during between among amongst within across against along "
    "around as off onto out over per since than toward towards under until up upon via without after before above "
    "below beneath behind beyond near outside inside throughout regarding concerning including based vs versus"
)

COPULAS = words("is are was were be been being equals equal = 's isn't aren't wasn't weren't becomes became")

HAVES = words("have has had having with own owns owning owned got gets hold holds")

AUXILIARIES = words(
    "do does did can could will would shall should may might must not don't doesn't didn't can't won't wouldn't"
)

RELATIVES = words("that which who whom whose where when what how why while if whether")

CONJUNCTIONS = words("and or but nor & plus then so because though although")

PRONOUNS = words(
    "i me you we us he him she it they them there here his/her him/her himself themselves itself one ones each other "
    "others another anyone someone everyone nobody himself anything something everything nothing "
    "anybody somebody everybody anywhere somewhere everywhere nowhere elsewhere"
)

ADVERBS = words(
    "only also just still currently already ever never always most least more less please kindly too very not "
    "respectively together approximately exactly "
    "pls plz thx atm asap btw fyi altogether both either neither yet again first once twice"
)

VERBS = words(
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

NOT_VERBS = words(
    "building spring rating ranking king ring wedding speed seed breed need feed red bed engineering "
    "marketing manufacturing training meeting meetings string thing morning evening painting drawing "
    "recording recordings pricing billing shipping spending earning banking funding housing parking seating "
    "heading listing filing setting wing offering warning hearing opening ending beginning reading writing "
    "math swimming boxing fencing cycling racing running shooting skiing united hundred kindred sacred naked "
    "mixed advanced accounting standing consulting advertising mining farming fishing clothing crossing "
    "holding staffing pending weighted aged indeed exceed proceed succeed hatred gasoline bearing dwelling "
    "sterling timing landing loading mailing booking bookings nursing nothing something anything everything"
)

TIME_VERBS = words(
    "born died founded established opened closed created published released held built completed started "
    "ended hired joined enrolled graduated signed posted launched issued shipped ordered placed purchased "
    "bought sold made updated modified last-modified edited registered happened occurred taken took paid "
    "received approved hosted began finished debuted premiered written recorded produced manufactured "
    "introduced delivered cancelled canceled returned expired due elected married admitted discharged "
    "treated diagnosed arrived departed invoiced booked visited date year birthday birthdate birth month day "
    "time season deadline period dob"
)

JOINERS = words("of de van von da di del della la le du el al bin ibn der den ter dos das y")

OPENERS = words(
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
