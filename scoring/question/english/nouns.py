"""English nouns that questions use for columns, units and stored values."""

from __future__ import annotations

from scoring.question.english.tables import words

UNITS = words(
    "year years month months week weeks day days hour hours hr hrs minute minutes min mins second seconds "
    "sec secs ms millisecond milliseconds cm mm km m kg g mg lb lbs kilometer kilometers kilometre "
    "kilometres meter meters metre metres centimeter centimeters centimetre centimetres mile miles foot feet "
    "inch inches yard yards gram grams kilogram kilograms pound pounds ton tons tonne tonnes liter liters "
    "litre litres gallon gallons percent percentage % $ € £ ¥ dollar dollars euro euros usd eur gbp jpy inr "
    "cents degree degrees celsius fahrenheit gb mb kb tb kwh mwh gwh wh kw mw mph "
    "bytes times acre acres hectare hectares psi hp"
)

MEASURES = words(
    "point points score scores goal goals vote votes seat seats win wins loss losses page pages employee "
    "employees staff salary income earnings price cost revenue sales profit population capacity height "
    "weight length age area size distance amount budget balance rating ratings rank passengers passenger "
    "attendance quantity units view views like likes credits credit stars star floors floor rooms room "
    "bedrooms stock number count total value duration money worth speed elevation depth followers "
    "subscribers downloads residents turnover takings spend usage"
)

ORDINARY = words(
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

CLASSIFIERS = words(
    "region city country state county province continent district town village department category class "
    "type kind genre language currency brand manufacturer make model color colour status segment market "
    "industry sector division team club school university college airline airport company publisher position "
    "role major nationality race grade gender format platform channel supplier vendor customer product "
    "series season theme topic subject course program degree feature tag label element street road "
    "neighborhood area zone branch office warehouse store shop plan tier priority severity condition event"
)

KEYS = words(
    "id ids number no numbered code num identifier key grade level page chapter section version room flight "
    "round size rank ranked position floor gate unit class age aged year zip bus route serial stage rating "
    "points"
)

LOWER_VALUES = {
    "female": ("f", "woman", "women", "w"),
    "females": ("f", "female", "woman"),
    "male": ("m", "man", "men"),
    "males": ("m", "male", "man"),
    "women": ("f", "female", "woman"),
    "men": ("m", "male", "man"),
    "girls": ("f", "female", "girl"),
    "boys": ("m", "male", "boy"),
}
