"""Which value of the earlier question a new value takes the place of."""

from __future__ import annotations

from scoring.question.follow_ups.earlier import EarlierQuestion
from scoring.question.follow_ups.evidence import TurnEvidence, stored_forms
from scoring.question.follow_ups.words import is_country

Place = tuple[int, int]


def replaced_value(
    earlier: EarlierQuestion, new: str, head: str, evidence: TurnEvidence, *, narrows: bool
) -> Place | None:
    """The place of the old value; `None` where the new one is added.

    The SQL of both turns says it first: the same column has another value. Else countries replace countries, then the
    value after the same preposition, then the only one. `narrows`: a value that is added as likely as it replaces
    (`only …`) replaces one of its own kind alone.
    """
    said = {
        place: evidence.replaces(new, earlier.text[place[0] : place[1]])
        for place in earlier.values(evidence)
        if earlier.text[place[0] : place[1]].casefold() != new.casefold()
    }
    same_column = [place for place, same in said.items() if same]
    if len(same_column) == 1:
        return same_column[0]
    places = same_column or [place for place, same in said.items() if same is None]
    lands = _countries(earlier, places) if is_country(_bare(new)) else []
    if lands or (narrows and not same_column):
        return next(reversed(lands), None)
    return _likeliest(earlier, places, head, evidence)


def _countries(earlier: EarlierQuestion, places: list[Place]) -> list[Place]:
    return [place for place in places if is_country(_bare(earlier.text[slice(*place)]))]


def _likeliest(earlier: EarlierQuestion, places: list[Place], head: str, evidence: TurnEvidence) -> Place | None:
    """The one that the answer lacks, else the last after the same preposition, else the last."""
    gone = [place for place in places if not _is_kept(earlier, place, evidence)]
    if len(gone) == 1:
        return gone[0]
    after = [place for place in gone or places if head and earlier.follows(place, head)]
    return next(reversed(after or gone or places), None)


def _bare(words: str) -> str:
    return words.strip("\"' ").removeprefix("the ")


def _is_kept(earlier: EarlierQuestion, place: Place, evidence: TurnEvidence) -> bool:
    """Whether the answer still compares with the old value."""
    forms = stored_forms(earlier.text[place[0] : place[1]])
    kept = (
        evidence.old_values.keys() - evidence.gone_values.keys() if evidence.before is not None else evidence.new_values
    )
    return any(form in kept for form in forms)
