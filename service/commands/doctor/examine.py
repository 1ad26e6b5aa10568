"""Runs every check and prints what it found."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict

import orjson

from service.commands.doctor.database_checks import examine_database
from service.commands.doctor.findings import CheckHealth, CheckResult, error, ok
from service.commands.doctor.kafka_checks import examine_kafka
from service.commands.doctor.model_checks import examine_model
from service.commands.doctor.other_checks import examine_redis, secure_servers
from service.commands.exits import Exit
from service.settings import Settings
from service.settings.loading import SettingsError, load_settings


def examine(*, as_json: bool) -> None:
    """Prints one finding a line, the worst last. Exit code 1 if one of them is an error."""
    findings = _findings()
    for each in sorted(findings, key=lambda each: list(CheckHealth).index(each.health)):
        if as_json or not sys.stdout.isatty():
            sys.stdout.buffer.write(orjson.dumps(asdict(each), option=orjson.OPT_APPEND_NEWLINE))
        else:
            print(f"{each.health.value:8} {each.check}: {each.detail}" + (f" → {each.fix}" if each.fix else ""))
    sys.stdout.flush()
    if any(each.health is CheckHealth.ERROR for each in findings):
        raise SystemExit(int(Exit.NO))


def _findings() -> list[CheckResult]:
    try:
        return asyncio.run(_examined(load_settings()))
    except SettingsError as failure:
        return [error("settings", str(failure), "correct the variable that it names; docs/settings.md lists them all")]


async def _examined(settings: Settings) -> list[CheckResult]:
    parts = await asyncio.gather(
        examine_database(settings.database),
        examine_kafka(settings.kafka),
        examine_redis(settings.redis),
        examine_model(settings.judge),
    )
    certificates = await asyncio.gather(*(each.examine() for each in secure_servers(settings)))
    return [ok("settings", "every setting is valid"), *(each for part in parts for each in part), *certificates]
