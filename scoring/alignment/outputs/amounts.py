"""Columns of amounts: names that may mean any amount, and words that ask for an amount and not for rows."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.words import identifier_words, stem

UNIT_WORDS = frozenset(
    stem(word)
    for word in (
        "cent penny pence usd eur gbp dollar euro pound chf jpy ms sec second minute min hour hr hrs day week month "
        "year kg kilo kilogram gram g mg ton tonne km kilometre kilometer metre meter mile cm mm litre liter ml gallon "
        "celsius fahrenheit degree percent pct bps byte kb mb gb watt kw kwh volt bar psi"
    ).split()
)
"""Units of measure: a column that is called like one may hold anything in that unit."""
_ANY_AMOUNT = frozenset(
    "amount total value sum subtotal net gross grand line figure remaining left balance open outstanding due".split()
)
_QUANTITIES = frozenset("unit copy piece quantity volume".split())
_MEASURED = _QUANTITIES | frozenset(
    "spend spending spent revenue turnover amount value profit margin income mrr arr hour minute kilo ton mileage "
    "weight distance duration cost price debt".split()
)


def holds_any_amount(name: str, table: str | None = None) -> bool:
    """Whether a column's name, beside its table's, is one for any amount.

    >>> [holds_any_amount(name) for name in ("grand_total", "amount_cents", "celsius", "discount")]
    [True, True, True, False]
    """
    own = [word for word in identifier_words(name) if word not in UNIT_WORDS and word not in _ANY_AMOUNT]
    return set(identifier_words(table or "")).issuperset(own)


def asks_quantity(words: Sequence[str]) -> bool:
    """Whether the last word of a phrase is of a quantity that rows do not count: `units`, `copies`.

    >>> asks_quantity(["unit"]), asks_quantity(["order"])
    (True, False)
    """
    return bool(words) and words[-1] in _QUANTITIES


def asks_amount(words: Sequence[str]) -> bool:
    """Whether the last word of a phrase is of an amount: `by spend`, `the most units`."""
    return bool(words) and words[-1] in _MEASURED
