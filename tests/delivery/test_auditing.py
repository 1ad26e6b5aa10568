"""The audit tells each way in which events go wrong; a suite that it calls clean has lost and doubled nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.delivery.auditing import Findings, Held, compare
from tests.delivery.traffic import Key, events

FIRST, SECOND, STRANGER = (Key("quayside", "/ferries", name) for name in ("first", "second", "stranger"))
TOLD = [(FIRST, "row-1"), (SECOND, "row-2")]


def store(*current: Key, waiting: int = 0) -> Held:
    ids = {FIRST: "row-1", SECOND: "row-2", STRANGER: "row-3"}
    return Held(
        current=Counter(current),
        ids={key: ids[key] for key in current},
        keys=Counter(set(current)),
        waiting=waiting,
    )


@pytest.mark.parametrize(
    ("held", "results", "wrong"),
    [
        (store(FIRST, SECOND), TOLD, {}),
        (store(FIRST, SECOND), [*TOLD, *TOLD], {}),
        (store(FIRST), TOLD, {"missing": [SECOND]}),
        (store(FIRST, SECOND, SECOND), TOLD, {"doubled": [SECOND]}),
        (store(FIRST, SECOND, STRANGER), TOLD, {"unknown": [STRANGER]}),
        (store(FIRST, SECOND), TOLD[:1], {"untold": [SECOND]}),
        (store(FIRST, SECOND), [*TOLD, (FIRST, "row-9")], {"torn": [FIRST]}),
        (store(FIRST, SECOND, waiting=1), TOLD, {"waiting": 1}),
    ],
)
def test_the_audit_finds_what_is_wrong_and_nothing_else(
    held: Held, results: list[tuple[Key, str]], wrong: dict[str, Any]
):
    found = compare([FIRST, SECOND], held, results)
    assert found == Findings(**wrong)
    assert found.clean is not bool(wrong)


def test_the_same_seed_gives_the_same_mix_under_other_ids():
    one, other = events(7, 50), events(7, 50)
    assert [each.headers[:1] for each in one] == [each.headers[:1] for each in other]
    assert not {each.key for each in one} & {each.key for each in other}
