"""What sinks send is what the tools' own packages accept, where those are installed."""

from __future__ import annotations

import base64
import importlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import pytest

from service.settings.sink_settings import SinkSettings
from service.sinks.configured_sinks import configured_sinks
from service.sinks.sink_request import SinkRequest
from service.sinks.stored_score import StoredScore
from tests.library.foreign_packages import check_with

PACKAGES = (
    *("opik==2.2.122", "langsmith==0.15.1", "langfuse==5.0.4", "arize-phoenix-client==3.5.0", "mlflow-skinny==3.17.2"),
    *("standardwebhooks==1.1.0", "orjson", "pydantic-settings", "platformdirs", "pytest"),
)
"""With which `make nightly` runs the tests of this file."""
SECRET = "whsec_" + base64.b64encode(b"lighthouse" * 3).decode()
ID = UUID("0193b3a5-1234-7abc-9def-000000000001")
SCORE = StoredScore(
    **{"id": ID, "tenant": "t", "agent": "a", "agent_version": None, "source": "/t/a", "event_id": "1"},
    **{"occurred_at": datetime(2026, 11, 2, tzinfo=UTC), "score": 40.0, "tier": "poor", "verdict": "Incorrect"},
    **{"filter_status": "not_applied", "p_correct": 0.3, "unscored": None, "judge": "local"},
    **{"evaluator_version": "1", "rules_version": 0, "trace_id": "a" * 32, "span_id": "b" * 16},
    reasons=[{"code": "FILTER_MISSING", "kind": "fault", "detail": "missing: 2025", "weight": -1.0}],
)


def sent(kind: str, score: StoredScore = SCORE, **settings: str) -> tuple[SinkRequest, Any]:
    sinks = configured_sinks(SinkSettings.model_validate({kind: {"url": "http://tool", **settings}}))
    [request] = sinks[kind].requests([score])
    return request, orjson.loads(request.body)


def real(module: str) -> Any:
    pytest.importorskip(module.partition(".")[0], reason=f"needs {module.partition('.')[0]}")
    return importlib.import_module(module)


def test_standard_webhooks_verifies_the_signature() -> None:
    webhook = real("standardwebhooks.webhooks").Webhook(SECRET)
    request, body = sent("webhook", secret=SECRET)
    assert webhook.verify(request.body.decode(), dict(request.headers)) == body


def test_langfuse_accepts_the_score() -> None:
    model = real("langfuse.api.scores.types.create_score_request").CreateScoreRequest
    # its names on the wire are read by a function of the package
    read = importlib.import_module("langfuse.api.core.serialization").convert_and_respect_annotation_metadata
    body = sent("langfuse", public_key="p", secret_key="s")[1]
    found = model.model_validate(read(object_=body, annotation=model, direction="read"))
    assert (found.id, found.trace_id, found.observation_id, found.value) == (str(ID), "a" * 32, "b" * 16, 40.0)


def test_phoenix_knows_every_field_of_the_annotation() -> None:
    types = real("phoenix.client.__generated__.v1")
    [annotation] = sent("phoenix")[1]["data"]
    assert set(annotation) <= set(types.SpanAnnotationData.__annotations__)
    assert set(annotation["result"]) <= set(types.AnnotationResult.__annotations__)


def test_opik_accepts_the_feedback() -> None:
    model = real("opik.rest_api.types.feedback_score_batch_item").FeedbackScoreBatchItem
    request, body = sent("opik", replace(SCORE, trace_id=str(ID), span_id=None))
    assert request.url == "http://tool/v1/private/traces/feedback-scores"
    assert model.model_validate(body["scores"][0]).value == 40.0


def test_langsmith_accepts_the_feedback() -> None:
    model = real("langsmith.schemas").FeedbackCreate
    found = model.model_validate({"trace_id": None, **sent("langsmith", api_key="k")[1]})
    assert (found.id, found.run_id.hex) == (ID, "a" * 32)


def test_mlflow_reads_the_assessment() -> None:
    real("mlflow")
    message = importlib.import_module("mlflow.protos.service_pb2").CreateAssessment()
    importlib.import_module("google.protobuf.json_format").ParseDict(sent("mlflow")[1], message)
    found = importlib.import_module("mlflow.entities").Assessment.from_proto(message.assessment)
    assert (found.trace_id, found.span_id, found.feedback.value) == (f"tr-{'a' * 32}", "b" * 16, 40.0)
    assert found.metadata["evaluation_id"] == str(ID)


@pytest.mark.slow
@pytest.mark.nightly  # installs a hundred packages
def test_what_is_sent_is_accepted_by_packages_of_the_tools(tmp_path: Path) -> None:
    check_with(PACKAGES, __file__, 6, tmp_path)
