"""Specifications in the short notation of the case files."""

from __future__ import annotations

from typing import Any

from scoring.specification import Operand, Output, QuestionFilter, QuestionSpec, Superlative


def described(spec: QuestionSpec) -> dict[str, Any]:
    """Every part of a specification as an analyst writes it; parts that are empty are empty here."""
    return {
        "filters": [filter_text(each) for each in spec.filters],
        "outputs": [output_text(each) for each in spec.outputs],
        "aggregations": [
            f"{each.func}({'distinct ' if each.distinct else ''}{each.column})" for each in spec.aggregations
        ],
        "superlatives": [superlative_text(each) for each in spec.superlatives],
        "group_by": list(spec.group_by),
        "ordering": "" if spec.ordering is None else _ordering(spec.ordering.phrase, spec.ordering.descending),
        "ratios": [each.kind.value for each in spec.ratios],
        "negations": list(spec.negations),
        "distinct": spec.distinct,
        "yes_no": spec.yes_no,
        "parts": spec.parts,
    }


def filter_text(each: QuestionFilter) -> str:
    """`age > 30`, `COUNT barns > 5`, `_ = 'lisbon'`; a question mark at the end of what is not required."""
    doubt = " ?" if each.certain < 0.5 else ""
    value = "" if each.rhs is None else f" {each.rhs}"
    others = "".join(f" ~ {other}" for other in each.alternatives)
    return f"{operand_text(each.lhs)} {each.op.value}{value}{others}{doubt}"


def operand_text(operand: Operand | None) -> str:
    if operand is None:
        return "_"
    func = f"{operand.func} " if operand.func and "(" not in operand.name else ""
    return func + operand.name


def output_text(each: Output) -> str:
    return each.phrase if each.of is None else f"{each.phrase} of {each.of}"


def superlative_text(each: Superlative) -> str:
    """`most: highest price k=1`."""
    rows = "" if each.k is None else f" k={each.k}"
    counted = " counted" if each.counted else ""
    return f"{each.direction.value}: {each.word}{' / ' + each.measure if each.measure else ''}{counted}{rows}"


def _ordering(phrase: str, descending: bool | None) -> str:
    return f"{phrase or '_'} {'any' if descending is None else 'desc' if descending else 'asc'}"
