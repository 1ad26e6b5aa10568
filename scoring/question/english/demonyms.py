"""Adjectives, peoples and short names of countries, continents and languages, with the names they are stored by."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from scoring.question.english.countries import COUNTRY_CODES

_PAIRS = """
afghan afghanistan; african africa; albanian albania; algerian algeria; american united states,usa,us,america;
argentine argentina; argentinian argentina; armenian armenia; asian asia; australian australia; austrian austria;
azerbaijani azerbaijan; belgian belgium; bolivian bolivia; bosnian bosnia and herzegovina; brazilian brazil;
british united kingdom,uk,great britain,britain,england; bulgarian bulgaria; cambodian cambodia; canadian canada;
chilean chile; chinese china; colombian colombia; croatian croatia; cuban cuba; cypriot cyprus;
czech czech republic,czechia; danish denmark; dutch netherlands; ecuadorian ecuador; egyptian egypt;
english england; estonian estonia; ethiopian ethiopia; european europe; filipino philippines; finnish finland;
french france; georgian georgia; german germany; ghanaian ghana; greek greece; guatemalan guatemala; haitian haiti;
hungarian hungary; icelandic iceland; indian india; indonesian indonesia; iranian iran; iraqi iraq; irish ireland;
israeli israel; italian italy; jamaican jamaica; japanese japan; jordanian jordan; kazakh kazakhstan; kenyan kenya;
korean korea,south korea; kuwaiti kuwait; latvian latvia; lebanese lebanon; libyan libya; lithuanian lithuania;
malaysian malaysia; maltese malta; mexican mexico; moldovan moldova; monegasque monaco; mongolian mongolia;
moroccan morocco; nepalese nepal; nigerian nigeria; norwegian norway; pakistani pakistan; panamanian panama;
paraguayan paraguay; peruvian peru; polish poland; portuguese portugal; romanian romania; russian russia;
saudi saudi arabia; scottish scotland; senegalese senegal; serbian serbia; singaporean singapore; slovak slovakia;
slovenian slovenia; somali somalia; spanish spain; swedish sweden; swiss switzerland; syrian syria; taiwanese taiwan;
tanzanian tanzania; thai thailand; tunisian tunisia; turkish turkey; ugandan uganda; ukrainian ukraine;
uruguayan uruguay; uzbek uzbekistan; venezuelan venezuela; vietnamese vietnam; welsh wales; yemeni yemen;
zambian zambia; zimbabwean zimbabwe; uk united kingdom,great britain,gb,gbr;
us united states,united states of america,usa; usa united states,united states of america,us;
uae united arab emirates,ae,are; eu european union
"""


def _table(pairs: str) -> dict[str, tuple[str, ...]]:
    rows = (row.strip().partition(" ") for row in pairs.replace("\n", " ").split(";"))
    named = {people: tuple(names.split(",")) for people, _, names in rows}
    stored = {people: (*names, *_codes(people, names)) for people, names in named.items()}
    return {name: codes for name, codes in COUNTRY_CODES.items() if name not in stored} | stored


def _codes(people: str, names: tuple[str, ...]) -> list[str]:
    """The codes of some names that are no name themselves."""
    codes = (code for name in names for code in COUNTRY_CODES.get(name, ()))
    return [code for code in dict.fromkeys(codes) if code not in (people, *names)]


DEMONYMS: Mapping[str, tuple[str, ...]] = MappingProxyType(_table(_PAIRS))
