"""The report's estimates where a model judged some answers: they use its verdicts, and its labels show its drift."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from service.metrics import Metrics
from service.samples import sample_events, sample_labels
from service.settings.observability_settings import MetricSettings
from service.storage.scores.estimated_reports import labelled_estimates
from tests.conftest import copied
from tests.service.conftest import service_on
from tests.service.test_api_estimates import post, report, true_share
from tests.service.test_api_reading import send_samples

pytestmark = pytest.mark.slow  # a service takes all samples

WHO = ("meridian-retail", "beacon")
JUDGED = text(
    """
    UPDATE evaluations SET judge = 'llm/judge-2', model = 'made', p_correct = said, p_alone = said
    FROM (
        SELECT id, CASE WHEN (attributes ->> 'answers')::boolean = (occurred_at < :lost) THEN 0.95 ELSE 0.05 END AS said
        FROM evaluations
    ) AS judged
    WHERE judged.id = evaluations.id AND current AND score IS NOT NULL AND tenant = :tenant AND agent = :agent
      AND p_correct < :below
    """
)


async def test_verdicts_narrow_the_estimate_and_labels_show_that_the_model_became_worse(postgres_url, template):
    async with copied(postgres_url, template) as database, service_on(database) as client:
        await send_samples(client)
        await post(client, list(sample_labels(sample_events())))
        before = (await report(client))[WHO]
        assert (before["verdicts"], before["model_before"], before["model_worse"]) == (0, None, False)
        assert before["more_labels"] > 0
        engine = create_async_engine(database)
        tenant, agent = WHO
        times = sorted(each["occurred_at"] for each in sample_events() if (each["tenant"], each["agent"]) == WHO)
        for lost in (times[-1] + "x", times[len(times) // 2]):
            async with engine.begin() as connection:
                moment = text("SELECT CAST(:at AS timestamptz)").bindparams(at=lost.removesuffix("x"))
                at = (await connection.execute(moment)).scalar_one()
                await connection.execute(JUDGED, {"tenant": tenant, "agent": agent, "below": 2.0, "lost": at})
            row = (await report(client))[WHO]
            assert row["verdicts"] == row["scored"]
            assert row["method"] == "ppi++ with model"
            assert row["low"] <= true_share(*WHO) <= row["high"]
            if lost.endswith("x"):
                assert row["high"] - row["low"] <= before["high"] - before["low"]
                assert row["more_labels"] <= before["more_labels"]
                assert row["model_before"] == 1.0
        assert row["model_worse"]
        assert row["model_after"] < 0.5 < row["model_before"]
        page = (await client.get(f"/console?tenant={tenant}")).text
        assert f"{row['verdicts']} verdicts of a model" in page
        assert "the model agrees with" in page
        metrics = Metrics(MetricSettings(), judge="local/4")
        metrics.estimates.show(await labelled_estimates(engine, at.replace(year=2020)))
        labels = {"tenant": tenant, "agent": agent}
        shown = {
            name: metrics.registry.get_sample_value(f"sqlassay_estimate_{name}", labels)
            for name in ("verdicts", "more_labels", "model_worse")
        }
        assert shown == {"verdicts": row["verdicts"], "more_labels": row["more_labels"], "model_worse": 1.0}
        await engine.dispose()
