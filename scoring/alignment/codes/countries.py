"""Is a short code the ISO code of a country, or the postal code of a state, that a question names?"""

from __future__ import annotations

from types import MappingProxyType

_CODES = """
afghanistan af afg|albania al alb|algeria dz dza|andorra ad and|angola ao ago|argentina ar arg|armenia am arm
|australia au aus|austria at aut|azerbaijan az aze|bahamas bs bhs|bahrain bh bhr|bangladesh bd bgd|barbados bb brb
|belarus by blr|belgium be bel|belize bz blz|benin bj ben|bhutan bt btn|bolivia bo bol|bosnia and herzegovina ba bih
|bosnia ba bih|botswana bw bwa|brazil br bra|brunei bn brn|bulgaria bg bgr|burkina faso bf bfa|burundi bi bdi
|cambodia kh khm|cameroon cm cmr|canada ca can|chad td tcd|chile cl chl|china cn chn|colombia co col
|congo cg cog|costa rica cr cri|croatia hr hrv|cuba cu cub|cyprus cy cyp|czech republic cz cze|czechia cz cze
|denmark dk dnk|djibouti dj dji|dominican republic do dom|ecuador ec ecu|egypt eg egy|el salvador sv slv
|eritrea er eri|estonia ee est|ethiopia et eth|fiji fj fji|finland fi fin|france fr fra|gabon ga gab|gambia gm gmb
|georgia ge geo|germany de deu|ghana gh gha|greece gr grc|guatemala gt gtm|guinea gn gin|guyana gy guy|haiti ht hti
|honduras hn hnd|hong kong hk hkg|hungary hu hun|iceland is isl|india in ind|indonesia id idn|iran ir irn
|iraq iq irq|ireland ie irl|israel il isr|italy it ita|ivory coast ci civ|jamaica jm jam|japan jp jpn|jordan jo jor
|kazakhstan kz kaz|kenya ke ken|kosovo xk xkx|kuwait kw kwt|kyrgyzstan kg kgz|laos la lao|latvia lv lva
|lebanon lb lbn|lesotho ls lso|liberia lr lbr|libya ly lby|liechtenstein li lie|lithuania lt ltu|luxembourg lu lux
|madagascar mg mdg|malawi mw mwi|malaysia my mys|maldives mv mdv|mali ml mli|malta mt mlt|mauritania mr mrt
|mauritius mu mus|mexico mx mex|moldova md mda|monaco mc mco|mongolia mn mng|montenegro me mne|morocco ma mar
|mozambique mz moz|myanmar mm mmr|namibia na nam|nepal np npl|netherlands nl nld|the netherlands nl nld
|new zealand nz nzl|nicaragua ni nic|niger ne ner|nigeria ng nga|north korea kp prk|north macedonia mk mkd
|norway no nor|oman om omn|pakistan pk pak|panama pa pan|papua new guinea pg png|paraguay py pry|peru pe per
|philippines ph phl|poland pl pol|portugal pt prt|puerto rico pr pri|qatar qa qat|romania ro rou|russia ru rus
|rwanda rw rwa|saudi arabia sa sau|senegal sn sen|serbia rs srb|seychelles sc syc|sierra leone sl sle
|singapore sg sgp|slovakia sk svk|slovenia si svn|somalia so som|south africa za zaf|south korea kr kor
|korea kr kor|spain es esp|sri lanka lk lka|sudan sd sdn|suriname sr sur|sweden se swe|switzerland ch che
|syria sy syr|taiwan tw twn|tajikistan tj tjk|tanzania tz tza|thailand th tha|togo tg tgo
|trinidad and tobago tt tto|tunisia tn tun|turkey tr tur|turkmenistan tm tkm|uganda ug uga|ukraine ua ukr
|united arab emirates ae are|united kingdom gb gbr uk|great britain gb gbr uk|britain gb gbr uk|uk gb gbr
|united states us usa|united states of america us usa|usa us|us usa|uruguay uy ury|uzbekistan uz uzb
|venezuela ve ven|vietnam vn vnm|yemen ye yem|zambia zm zmb|zimbabwe zw zwe
|alabama al|alaska ak|arizona az|arkansas ar|california ca|colorado co|connecticut ct|delaware de|florida fl
|georgia ga|hawaii hi|idaho id|illinois il|indiana in|iowa ia|kansas ks|kentucky ky|louisiana la|maine me|maryland md
|massachusetts ma|michigan mi|minnesota mn|mississippi ms|missouri mo|montana mt|nebraska ne|nevada nv
|new hampshire nh|new jersey nj|new mexico nm|new york ny|north carolina nc|north dakota nd|ohio oh|oklahoma ok
|oregon or|pennsylvania pa|rhode island ri|south carolina sc|south dakota sd|tennessee tn|texas tx|utah ut|vermont vt
|virginia va|washington wa|west virginia wv|wisconsin wi|wyoming wy
"""


def is_code_of(name: str, code: str) -> bool:
    """Whether a text is the code of the place with this name, both in lower case.

    >>> is_code_of("germany", "de"), is_code_of("germany", "ger"), is_code_of("georgia", "ga")
    (True, False, True)
    """
    return code in _BY_NAME.get(name, ())


def _table() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for row in _CODES.replace("\n", "").split("|"):
        words = row.split()
        start = next(at for at in range(1, len(words)) if all(len(word) <= 3 for word in words[at:]))
        name = " ".join(words[:start])
        found[name] = found.get(name, frozenset()) | frozenset(words[start:])
    return found


_BY_NAME = MappingProxyType(_table())
