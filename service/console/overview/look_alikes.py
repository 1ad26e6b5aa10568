"""Finds names that readers may take for one another: wide and mathematical letters, other alphabets, digits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from scoring.normal_forms import normal_form

_LETTERS = str.maketrans(
    "АВЕЅІЈКМНОРСТУХҮԌԚԜҺаеѕіјкмнорстухүԁԛԝһӏӀвгѵѴ"  # Cyrillic
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺαεικνορτυχϲγω"  # Greek
    "ՍՏՕԼոսօհցքյ"  # Armenian
    "ᎪᏴᏟᎠᎬᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᏃ"  # Cherokee
    "ⲞⲢⲤⲦⲎⲘⲚⲔⲒⲂⲈⲀⲬⲨⲞⲟⲣⲥⲕⲓ"  # Coptic
    "ıȷɑɡɩʟɪ‐‑‒–—−’ʼ",
    "ABESIJKMHOPCTYXYGQWhaesijkmhopctyxydqwhllbrvV"
    "ABEZHIKMNOPTYXCMaeiknoptuxcyw"
    "USOLnuohgqj"
    "ABCDEHJKLMPRSTVWZ"
    "OPCTHMNKIBEAXYOopcki"
    "ijagiLI------''",
)
_SMALL = str.maketrans("01|", "oll")


@lru_cache(maxsize=20_000)
def looks_of(name: str) -> frozenset[str]:
    """What the name looks like: two names that share one may pass for each other.

    >>> looks_of("crumb") & looks_of("cr" + chr(0x443) + "mb"), looks_of("crumb") & looks_of("crust")
    (frozenset(), frozenset())
    >>> sorted(looks_of("MiI1") & looks_of("Mil1"))
    ['mill']
    """
    plain = name if name.isascii() else normal_form("NFKD", name.translate(_LETTERS)).translate(_LETTERS)
    forms = (plain, plain.replace("I", "l"))  # a capital I is written like a small l
    return frozenset(normal_form("NFC", each.casefold().translate(_SMALL)) for each in forms)


def look_alikes(names: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], list[str]]:
    """For each tenant and agent, the tenant's other agents whose names look the same; none where there are none.

    >>> look_alikes([("a", "oven1"), ("a", "ovenl"), ("b", "oven1")])
    {('a', 'oven1'): ['ovenl'], ('a', 'ovenl'): ['oven1']}
    """
    known = sorted(set(names))
    alike: dict[tuple[str, str], list[str]] = {}
    for tenant, agent in known:
        for look in looks_of(agent):
            alike.setdefault((tenant, look), []).append(agent)
    found: dict[tuple[str, str], list[str]] = {}
    for tenant, agent in known:
        others = {each for look in looks_of(agent) for each in alike[tenant, look]} - {agent}
        if others:
            found[tenant, agent] = sorted(others)
    return found
