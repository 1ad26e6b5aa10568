"""Where to change what: every room says it, what it names exists, and the contributor's page agrees."""

from __future__ import annotations

import re

import pytest

from tests.where import HEAD, LIST, ROOT, changes, changes_of, docstring, matching, nearest, rooms

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SAID_BY = {"learning": "service/commands/learn", "scoring/signals": "scoring"}
"""Rooms whose changes the docstring of another room names."""
MOST_BYTES = 7_000


def sayer(room: str) -> str:
    """The room whose docstring speaks for this one."""
    above = next((each for each in SAID_BY if room == each or room.startswith(f"{each}/")), None)
    return room if above is None else SAID_BY[above]


@pytest.mark.parametrize("room", rooms())
def test_every_room_says_when_it_is_the_one_to_change(room: str) -> None:
    assert changes_of(sayer(room)), (
        f"{room}/__init__.py does not say when to change it: add a sentence that begins with {HEAD!r}, or a list"
        f" below {LIST!r}"
    )


def named() -> list[tuple[str, str]]:
    return sorted({(each.room, path) for each in changes() for path in re.findall(r"`([\w.]+/[\w./*-]*)`", each.what)})


@pytest.mark.parametrize(("room", "path"), named())
def test_every_file_that_a_room_names_exists(room: str, path: str) -> None:
    assert list(ROOT.glob(path.rstrip("/"))), f"{room}/__init__.py names {path}, which is gone: name its successor"


def test_every_name_that_a_room_gives_is_in_its_file() -> None:
    given = [pair for each in changes() for pair in re.findall(r"`(\w+)` in `([\w/]+\.py)`", each.what)]
    assert len(given) > 10
    for name, path in given:
        assert re.search(rf"\b{name}\b", (ROOT / path).read_text(encoding="utf-8")), (name, path)


def test_a_change_is_found_by_its_words() -> None:
    assert [each.room for each in matching(["dead", "letter", "headers"])] == ["consumers/stream"]
    assert matching(["no such thing as this"]) == []
    assert len(matching([])) > 120


def test_the_nearest_changes_are_found_where_none_holds_all_words() -> None:
    assert matching(["partition", "retention", "zebra"]) == []
    assert nearest(["partition", "retention", "zebra"])[0].room == "service/storage"
    assert nearest(["zebra"]) == []


def test_the_page_lists_the_rooms_as_they_introduce_themselves() -> None:
    table = dict(re.findall(r"^\| `([\w/]+)/` \| (.+) \|$", PAGE, flags=re.MULTILINE))
    outer = [room for room in rooms() if "/" not in room]
    assert table == {room: " ".join(docstring(room).split("\n\n")[0].split()) for room in outer}


def test_the_page_is_short() -> None:
    size = len(PAGE.encode())
    assert size <= MOST_BYTES, (
        f"CONTRIBUTING.md has {size} bytes, at most {MOST_BYTES}: say it in a room's docstring, which make where prints"
    )
