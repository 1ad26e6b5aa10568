"""PromQL expressions that panels share."""

from __future__ import annotations


def rate(metric: str, by: str = "", where: str = "") -> str:
    """How much a counter grows per second.

    >>> rate("sqlassay_consumed_total", by="trigger")
    'sum by (trigger) (rate(sqlassay_consumed_total[$__rate_interval]))'
    """
    return f"{_sum(by)}(rate({_of(metric, where)}[$__rate_interval]))"


def grown(metric: str, by: str = "", where: str = "") -> str:
    """How much a counter grew over the time range of the dashboard.

    >>> grown("sqlassay_score_count", where='tenant="library"')
    'sum(increase(sqlassay_score_count{tenant="library"}[$__range]))'
    """
    return f"{_sum(by)}(increase({_of(metric, where)}[$__range]))"


def parts(metric: str, label: str, where: str = "") -> str:
    """Each label value's share of a counter's growth. Nothing when it did not grow."""
    return f"{rate(metric, label, where)} / ignoring ({label}) group_left () ({rate(metric, where=where)} > 0)"


def quantile(share: float, histogram: str, by: str = "") -> str:
    """A quantile of a histogram. Nothing, and not NaN, when nothing was observed.

    >>> quantile(0.95, "sqlassay_stage_seconds", by="stage")
    'histogram_quantile(0.95, sum by (le, stage) (rate(sqlassay_stage_seconds_bucket[$__rate_interval]))) >= 0'
    """
    return f"histogram_quantile({share:g}, {rate(f'{histogram}_bucket', f'le, {by}' if by else 'le')}) >= 0"


def _sum(by: str) -> str:
    return f"sum by ({by}) " if by else "sum"


def _of(metric: str, where: str) -> str:
    return f"{metric}{{{where}}}" if where else metric
