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
currency_codes
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
_EVERYDAY = """
now ago ok hi hello auto ref
smth ties tied submission cancelation cancellation international honoured captured successful
absent rated unrated asked assumed ignoring whatever tonight tomorrow w n o d without lies thx pls
abbreviation ability absolute acid acquisition adjuster admission adult advertisement agent alarm album alert alignment
ambulance ankle annex antibody app application appointment appropriate approval april arrear arrival artist asking
athlete atom attacking attendee attribute auction august author autumn award axis badge bag ballot banana barrel basket
bathroom battle beach bean bearing bedroom beer bell belt bench beverage bicycle bike bill bird biscuit blank blend blog
bond booking boot border bounce bowl bowler bracket brain breach bread breakfast breath brick bridge brief browser
brush bubble bucket bug bundle burn bus button cabin cabinet cafe cake calcium calculus calm camp campaign campus
cancellation candle canvas capacity captain carbon cargo carpet carriage cart carton cartoon cast cat ceiling celebrate
cellar century chair chapel charity chart cheese chemical chest chicken chief chlorine chocolate cholesterol cinema
circle circuit citizen citizenship civil claim clean client climate clinic clock cloth clothes cloud coach coal coast
coat coffee coin cold collar collision colony column comedy comfort command commander comment commerce commission
committee commodity commuter compartment component compound computer concert condition conference conflict congress
constant container content continent contractor coordinate copper copy corn corner correct correction corridor costume
cotton council counsel counter county couple courier courtyard craft cream creative credit crew crime crisis crop crowd
cruise cube cuisine cup currency curriculum curve cushion dairy dam damage dance danger dark dash dashboard dataset
debit debt debut decision deck deep delegate density dentist dependent deployment depot deputy detector device diamond
diesel digital dinner dioxide directory dish disbursed disk dispatch dispute dissolve dock document dog doing dollar
domain donation donor door dose dot doubt downtime dozen drama drawer drawing dress drill dropout dust dwelling eagle
ear east eastern edge editor efficiency egg elbow elder election element elevation elite email embassy emergency
emission empire employer employment enclosure encounter endpoint engineer enterprise envelope episode equipment era
escalation essay ethnic euro evaluation evening excellence excerpt exception excess exemption exhibition exotic
expansion expectancy expedition expensive expert explicit export exposure extension eye fabric faculty failure fair
faith fan fantasy farmer fashion fat father fault favorite favourite feather federal fence ferry fever fibre fiction
fiscal fisher flame flavour flavor float flower fluid flyer foil folder football force forecast fork formation formula
fort fortnight foundation fox fraction fragment franchise fraud freight frequent freezer fridge fuel funnel fur
furniture galaxy gallery gallon gap garage garment gas gate gauge genre giant gift glass glove glucose goal goat golf
governor grain gram grant grape grass gravity grid grocery guarantee guide guitar gun gym hair hall hammer hand handler
harbour harbor hardware hat hazard headline healthcare heart heater helicopter helmet hen herb hero hockey hole honey
hook horn horror horse hospital hostel household humid hundred hurdle hybrid hydrogen illness illustrated illustration
impression incident incl inch incredibly independence indicator infant infection information ingredient inhabitant
injury ink inn inquiry insect insight inspection inspector instalment installment instead institution instruction
instructor instrument insulin insurance insurer intake intensity interaction interval interview intro invasion
investigation investigator investment investor iodine iron island isle isolate itinerary jacket jar jet jewel jewelry
jewellery jump jungle junior jury kernel kettle kilo kilogram kilometre kilometer kilowatt king kingdom kit kitten knee
knife laboratory lamp landlord lane lap laptop laser latitude laundry lawn layer layout leaf leaflet lecturer leg
lemon lender lens lexicographical liability liaison lifetime lift lighthouse lion listener litre liter livestock
lodging logistic longitude loop loose lottery lounge lump luxury lyric magazine magnitude maid maintenance mall mammal
manual manuscript marathon march marine marker marketplace marriage mask mass mat mayor meadow mechanic mechanism medal
membership memo memory merchant mess metabolic microphone midnight midwife mile mileage military milk mill million
mineral minister minority minus mirror missile moisture molecule mom monarch monument mood moon morning mosque motel
mouse mug mule municipal muscle musician mystery nail nationality navy neck needle nest nickname nitrogen noise nomad
noon northern nose notable notebook novel nuclear numerous nut nutrition oak oath oat occasion occupancy odometer
offence offense offender offset opening opera operator opponent optical orchard orchestra ore organism orphan outage
outbound inbound outlet outpatient inpatient output oven overnight overtime oxide oxygen pace packet packaging
painting palace pallet pants paragraph parade park parking parliament participation passage passport password pasta
pastry patch path patrol pause pavement payload payout payroll peer pen pencil peninsula pepper perfume perimeter petal
petrol pharmacy phosphorus photograph phrase physics physician piano picked pickup picture pig pilgrim pill pillow pipe
pipeline pit pitch pitcher pizza placement plastic platelet playlist plot plug plus pocket podcast poem poet poetry
poker polar pole politics poll pollution pond pool port porter portrait postal postcode poster potato pottery poultry
powder powerful precipitation prefix pregnancy premise premium premiere preparation prescription prime prince princess
printer prison prisoner processor prod producer professor projector promo promise promotion protein protocol province
pump pupil puppy purse puzzle pyramid qualification quarterback queen quiz rabbit racket radar rage rail railway rally
ranch rating reactor reader rebate receipt recipient recording recruit recruiter referee referral refinery reform
refugee refugees region registry regulation rehearsal reimbursement religion remainder rent renewal renter rep replica
reporter representative republic reputation reservation reservoir residence resident resistance resolution resort
response restock restore restriction retention retirement retreat reward rhythm rice rider riding rifle ring roast
robot rock roof rookie rope rose rotation rower royal royalty rubber rug rugby runner runtime runway rush sack sailor
salad salmon salt sand sandwich satellite satisfaction sauce saving scanner scenario scene schema scholarship scooter
scorer scout script sculpture seafood seal seasonal secretary senator senate sender seniority sequel serial severe
sewing sexual shade shadow shape shark sheep shell sheriff shield shipper shipment shirt shoe shooter shore shoulder
shower showtime shuttle sibling silk singer sink sister situation skate skin skirt sky sleeve slice slide slip slope
slug snack snake soap soccer sock sodium solar soldier solo somebody someone something soup southern spa spam span
speaker specialist specialty species specification spectator speech speedway spice spider spine spirit sponsor spoon
spouse squad stable stadium stair stall stamp standing startup statement stationery statistic statue steam steep stem
stockout stomach stone stopover stove stranger streak striker string strip stripe studio subcategory subtitle
suburb subway suffix sugar suite superhero supermarket superpower supervisor supplement supplier surcharge surgeon
surgical surplus suspect suspension swap swimmer sword syllable symbol syndrome syrup tablet tag tail tailor talent
tale tamper tap tape tariff taxonomy taxpayer tea teammate teenager template temple tennis tent territory terrain
territorial testing textbook thanks therapist therapy thermal thief thigh thousand thread thrombosis throughput throw
thumb thunder tide tie tiger tile timeline timber timeout timesheet timezone tire tobacco toe token tonnage toilet
tomato tongue tooth tourism tournament towel toxicity trace trailer trainer tram transcript transit transmission trap
trash traveler traveller treasure treasury treaty triangle tribe tribunal triple trophy truck trunk tube tuition tunnel
turbine turnaround turnout turnover tutor twin twice tyre ultimate umbrella underwriter underwriting undo uniform union
unassigned unlock unsolved unsubscribe uprising uric urgent urine usage utility vacancy vacation vaccination valley
valve vault vegetable vegetarian vehicle vein velocity vendor ventilation verb verdict verse vest veteran villain
villager vine vineyard violation violence violin virus visa vision visual vitamin vocal volcano volleyball volunteer
voter wagon waist waiter waitlist wallet warranty warehouse warrior wasp waterfall watt weapon weather wedding weekday
weekend wheat wheelchair whisky whiskey wholesale wholesaler widow wife wing wire wizard wolf wooden wool workflow
workload workout workplace workspace wound wrestler wrist writer written yacht yeast yoga zebra
cancelled canceled shipped delivered returned refunded opted enrolled churned fulfilled archived withdrawn
discontinued unlocked ridden rode drew fed launch launched exclusive exclusively predominantly virtual pre anti non
havent hasnt arent isnt dont doesnt wont pls incl excl approx appx qty vat atm vip sla gmv cpm mrr fte ev gb mb kb
kwh kg km cm mm ml mg lb oz usd eur gbp chf jpy id ids url sku ssn iban api csv json xml html pdf sms
"""
_OF_CODE = """
timestamptz overlaps
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
limit offset fetch join inner outer left right cross natural lateral unnest cte yoy metric dimension dow isodow
sysdate systimestamp utc_timestamp uniqexact multiif iso isoweekday weekday
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
    for text in (
        _MORE,
        _EVERYDAY,
        _OF_CODE,
        " ".join(SYNONYMS),
        *STOP_WORDS,
        *(getattr(ENGLISH, each) for each in _TABLES),
    )
    for word in _words(text)
)
FORMULA_WORDS = frozenset(_OF_CODE.upper().split())
"""Words of SQL in capitals, such as NULL and MAX, which name nobody."""
_ALSO_NAMES = frozenset(
    """
    angel april art august baker bank banks barber bell berry bill bird bishop black bond bowler boyd bridge brook
    brown burn bush butler cabin cannon carpenter carr carter chance chapel chapman chase church clay cliff cole
    cook cooper corn corner cotton court cross crow dale day dean don drew duke eagle earl east engel england fair
    faith farmer father field fields fish fisher fleet flint flower flowers ford forest forester fort foster fox
    france frank franklin freeman friend frost fuller gardener glass gold golden grace grand grant grape grass gray
    green grey grove guy hall hammer hand harbour hardy hawk heath heather herb hero hill holiday holly honey hood
    hope horn hunt hunter ivy jack jewel jordan joy judge july june justice keen king kings knight lake lamb lamp
    lane law light lily lion little long lord love lucky march marine mark marks marsh marshal mason max may mayor
    meadow mercy merry mile miles miller mills moon moor moore morning moss mount mountain newman noble noon north
    novel oak olive orchard page park parker parks pastor patience peace pearl penny pepper peters pierce pike pine
    pitt pole pond pope port porter potter pound price prince queen rain ray red reed rice rich ring river rivers
    road robin rock roman rose rush sage sailor salmon sand sanders sands savage sharp shepherd silver singer
    skinner sky smart smith snow sparks spear spring squire star steel stern stone storm street summer summers swan
    swift tailor taylor temple thorn tide turner vale valentine valley victor violet wade wagon walk walker wall
    walls ward waters weaver weber wells west wheeler white wild will wills winter winters wise wolf wood woods
    woodward worth wren wright yard york young
    barr bean boarder booker bowling boyer bridger brewer chandler childers comer crowder cummings decker earnest
    fanning farr forrest gates glover harder harding herring hooker houser joiner jumper landers lander leger lind
    manning mather mayer messer piper ponder redd redding reeder roper rusher salter sayer sears shields spicer
    spooner springer stallings stamper starr sterling stoner streeter stringer tasker towers towner tucker waller
    walling warner watters watts webber weeks weller wester wheaton whiting wilder winder
    """.split()
)
"""Ordinary words that are also names of people or places: in a literal they are masked."""
_NAMES_ALONE = frozenset(
    """
    anders carly chester damion dieter fred homer jared jarred marion marlys milly nestor noor peter polly rainer sally
    somer tilly
    """.split()
)
"""Names that look like plain words with an ending, as Peter like someone who pets."""
FUNCTION_WORDS = STOP_WORDS | {word for each in ("numbers", "months", "weekdays") for word in getattr(ENGLISH, each)}
"""Words that are plain even with a capital in mid-sentence."""
MONTHS = frozenset(ENGLISH.months)
WEEKDAYS = frozenset(ENGLISH.weekdays)


def names_somebody(word: str) -> bool:
    """Whether a plain word is also a name.

    >>> names_somebody("rose"), names_somebody("active")
    (True, False)
    """
    return word in _ALSO_NAMES or stem(word) in _ALSO_NAMES


@lru_cache(maxsize=65536)
def is_plain(word: str) -> bool:
    """Whether a lower-case word, or the word it derives from, is plain.

    >>> [is_plain(word) for word in ("borrowed", "cheapest", "shipping", "kowalski", "lisbon", "peter")]
    [True, True, True, False, False, False]
    """
    if word in _NAMES_ALONE:
        return False
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
