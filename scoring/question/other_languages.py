"""Tells whether a question is in another language than English, which no table here reads."""

from __future__ import annotations

from functools import lru_cache

from scoring.foreign_words import ENGLISH as ENGLISH_BY_FOREIGN_WORD
from scoring.patterns import lazy

_WORD = lazy(r"[^\W\d_]{1,30}")
_MOST_WORDS = 60
"""Words of a question that are looked at."""
_ASKING = {
    "German": "wie viel viele wieviel wieviele welche welcher welches welchen wer zeige zeig nenne gib letzten letzter "
    "letztes letzte diesen diesem dieses monat monats monaten jahr jahres woche quartal heute gestern umsatz",
    "Spanish": "cuánto cuánta cuántos cuántas cuantos cuantas cuál cuáles cuales qué quién quiénes muestra muéstrame "
    "dame lista último última últimos últimas pasado pasada año mes trimestre semana hoy ayer ventas",
    "French": "combien quel quels quelle quelles affiche montre donne dernier dernière derniers dernières cette année "
    "mois trimestre semaine hier aujourd chiffre ventes",
    "Italian": "quanti quante quanto quanta quali quale chi mostra mostrami elenca scorso scorsa ultimi ultime anno "
    "mese trimestre settimana ieri oggi fatturato vendite",
    "Portuguese": "quantos quantas quanto quais qual quem mostre liste último última passado passada ano mês trimestre "
    "semana ontem hoje vendas",
    "Dutch": "hoeveel welke wie toon geef vorige afgelopen dit maand jaar kwartaal week gisteren vandaag omzet",
}
"""Words that ask, and words of time: two for one of the others."""
_SMALL = {
    "German": "der das die den dem des und für im vom zum zur mit nach aus von bei seit nicht ohne sind gab gibt haben "
    "hat hatte hatten ist wurde wurden unsere unserer unseren zwischen über mehr weniger als jede jeder jedem pro es",
    "Spanish": "el la los las de del por para con sin en y un una este esta cada nuestros nuestras más menos tuvo hubo "
    "fueron son han entre que no",
    "French": "le la les des du de pour par avec sans et dans en un une nos notre plus moins chaque ont été sont entre "
    "que au aux ce",
    "Italian": "il lo la gli le di del della dei delle degli per con senza nel nella e un una questo questa ogni sono "
    "hanno tra più meno che",
    "Portuguese": "o os as de do da dos das por para com sem em na nas nos e um uma este esta cada nossos foram são "
    "entre mais menos que",
    "Dutch": "het een de van voor met zonder en onze elke zijn werden werd hadden hebben niet tussen meer minder dan",
}
_ENGLISH = frozenset(
    "the of is are were how many much which what who whose when where show give get top by from for with and last this "
    "each all our we you i my did does do to on that not have has had than between since without their they it its "
    "there any most least more less average total number count".split()
)
_WEIGHTS = {
    language: {**dict.fromkeys(_SMALL[language].split(), 1), **dict.fromkeys(words.split(), 2)}
    for language, words in _ASKING.items()
}
_ENOUGH = 4
"""Least weight of words of a language; places alone have less: `Rio de la Plata`."""


@lru_cache(maxsize=512)
def other_language(text: str) -> str:
    """The language of a question that is not in English, where that is sure; else blank.

    >>> other_language("Wie viele Bestellungen gab es letzten Monat pro Land?"), other_language("先月の注文数は？")
    ('German', 'another script')
    >>> other_language("Top 5 stores of Rio de la Plata, Los Angeles and Las Vegas last mes")
    ''
    """
    words = _words(text)
    letters = "".join(words)
    if letters and sum(each > _LAST_LATIN for each in letters) * 2 > len(letters):
        return "another script"
    english = sum(word in _ENGLISH for word in words)
    nouns = sum(word in ENGLISH_BY_FOREIGN_WORD for word in words)
    found = {name: sum(weights.get(word, 0) for word in words) for name, weights in _WEIGHTS.items()}
    likely = max(found, key=lambda name: found[name])
    asks = any(_WEIGHTS[likely].get(word, 0) > 1 for word in words)
    return likely if asks and found[likely] + nouns >= _ENOUGH and found[likely] > 2 * english else ""


def is_english(text: str) -> bool:
    """Whether a text is surely in English.

    >>> is_english("The number of orders by country"), is_english("Anzahl der Aufträge je Land")
    (True, False)
    """
    return sum(word in _ENGLISH for word in _words(text)) > 1 and not other_language(text)


def _words(text: str) -> list[str]:
    return [each.casefold() for each in _WORD.findall(text[:_LONGEST])][:_MOST_WORDS]


_LONGEST = 600
"""Characters that are looked at."""
_LAST_LATIN = "ɏ"
"""The last letter of the Latin script's first extensions."""
