"""Examines the model server with one short call."""

from __future__ import annotations

from collections.abc import Mapping

from consumers.judging.ports import FailureCause, ModelFailed
from service.commands.doctor.findings import CheckResult, error, ok
from service.judges.configured_panel import open_judge
from service.settings.judge_settings import JudgeSettings

_CHECK = "model.answers"
_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
_FIXES: Mapping[FailureCause, str] = {
    FailureCause.KEY: "replace the key in SQLASSAY_JUDGE__API_KEY, then restart the workers",
    FailureCause.NOT_FOUND: "correct SQLASSAY_JUDGE__BASE_URL or SQLASSAY_JUDGE__MODEL",
    FailureCause.QUOTA: "raise the quota or the credit of the account",
}


async def examine_model(settings: JudgeSettings) -> list[CheckResult]:
    """Whether the configured model answers; the call may cost what a few words cost."""
    if settings.base_url is None or settings.model is None:
        return [ok(_CHECK, "no model is configured: the local judge is used")]
    try:
        async with open_judge(settings, settings.base_url, settings.model) as model:
            await model.complete("Reply in JSON.", 'Reply with {"ok": true}.', _SCHEMA, seconds=settings.timeout)
    except ModelFailed as failure:
        fix = _FIXES.get(failure.cause, "start the server, or correct SQLASSAY_JUDGE__BASE_URL; see its status page")
        return [error(_CHECK, str(failure), fix)]
    return [ok(_CHECK, f"model {settings.model} answers")]
