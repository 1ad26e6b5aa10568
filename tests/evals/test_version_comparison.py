"""Two versions side by side: kinds of questions, and the questions that flipped."""

from __future__ import annotations

import pytest

from evals.version_comparison import VersionAnswer, compare_versions


def answer(id_: str, question: str, *, wrong: bool = False, kind: str = "a count") -> VersionAnswer:
    return VersionAnswer(id=id_, question=question, kind=kind, wrong=wrong)


def many(prefix: str, count: int, wrong: int, kind: str) -> list[VersionAnswer]:
    return [answer(f"{prefix}{n}", f"{prefix} {n} {kind}", wrong=n < wrong, kind=kind) for n in range(count)]


def test_a_question_that_both_answered_flips_in_either_direction_and_regressions_come_first():
    before = [answer("a", "How many ovens?", wrong=True), answer("b", "How many mills?"), answer("c", "How many?")]
    now = [answer("d", " how many OVENS?"), answer("e", "How many mills?", wrong=True), answer("f", "How many?")]
    found = compare_versions(before, now)
    assert [(each.before.id, each.now.id, each.regression) for each in found.flipped] == [
        ("b", "e", True),
        ("a", "d", False),
    ]
    assert found.asked_of_both == 3


def test_an_answer_that_is_wrong_now_stands_beside_the_right_answer_to_the_question_most_like_its_own():
    before = [
        answer("a", "How many loans were made at the Porto branch in May 2025?"),
        answer("b", "How many loans were made at the Porto branch in June 2025?", wrong=True),
        answer("c", "How many loans were made at the Porto branch in May 2025, by genre?", kind="other"),
        answer("d", "How many members are there?"),
    ]
    now = [
        answer("e", "How many loans were made at the Porto branch in July 2025?", wrong=True),
        answer("f", "Which book is the longest?", wrong=True),
    ]
    [pair] = compare_versions(before, now).flipped
    assert (pair.before.id, pair.now.id, pair.same) == ("a", "e", False)


def test_other_questions_alone_make_no_difference_on_the_kinds_that_both_have():
    """Each kind is as good as before; there are only more of the hard ones."""
    before = many("b", 90, 0, "easy") + many("h", 10, 5, "hard")
    now = many("n", 10, 0, "easy") + many("m", 90, 45, "hard") + many("x", 20, 20, "new")
    found = compare_versions(before, now)
    assert found.shared == (100, pytest.approx(0.45), pytest.approx(0.45))
    assert [each.lost for each in found.kinds] == [0, 0, 0]
    assert compare_versions(many("b", 3, 0, "easy"), many("n", 3, 0, "new")).shared is None


def test_questions_without_a_text_are_counted_by_kind_and_never_paired():
    found = compare_versions([answer("a", "")], [answer("b", "", wrong=True)])
    assert (found.flipped, found.asked_of_both) == ([], 0)
    assert [(each.before, each.now, each.wrong_now) for each in found.kinds] == [(1, 1, 1)]
