"""An assertion for promptfoo: {type: python, value: file://promptfoo_assert.py}; the question is a variable."""

from typing import Any

from sqlassay import score


def get_assert(output: str, context: dict[str, Any]) -> dict[str, Any]:
    """Passes SQL that scores as good, and says why."""
    answer = score(question=context["vars"]["question"], sql=output)
    reason = "; ".join(each.detail for each in answer.reasons) or "no reason"
    return {"pass": (answer.score or 0.0) >= 75, "score": answer.p_correct or 0.0, "reason": reason}
