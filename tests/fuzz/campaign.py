"""Fuzzes one target for a while in a process of its own, which a hang or a crash may end."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
import sys
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from tests.fuzz.running import Input, Length, run_target

CORPUS = Path(__file__).parent / "corpus"


@dataclass(slots=True, kw_only=True)
class Campaign:
    """What fuzzing one target gave."""

    target: str
    executions: int = 0
    findings: list[str] = field(default_factory=list[str])
    """Files of the inputs that raised, hung or crashed."""
    worst: float = 0.0
    """The most CPU seconds of one input."""
    grown: float = 0.0
    """Megabytes that memory grew by after the first executions."""


def to_json(given: Input) -> str:
    """The input as a corpus file holds it."""
    return json.dumps(given, indent=1, sort_keys=True) + "\n"


def fuzz(name: str, length: Length, *, seed: int, guided: bool) -> Campaign:
    """Fuzzes a target for that long; inputs that fail are added to the corpus."""
    campaign, began = Campaign(target=name), time.monotonic()
    while (left := length.after(time.monotonic() - began, campaign.executions + len(campaign.findings))) is not None:
        current, receiver, process = _start(name, left, seed + len(campaign.findings), guided=guided)
        receiving = True
        while receiving:
            try:
                kind, value = receiver.recv()
            except EOFError:
                receiving = False
            else:
                _note(campaign, kind, value)
        process.join()
        if process.exitcode in {0, None}:
            break
        given = current.read_text(encoding="utf-8")
        ended = "took too much CPU" if process.exitcode == -signal.SIGPROF else f"ended with {process.exitcode}"
        _note(campaign, "finding", (json.loads(given), f"the process {ended}"))
    return campaign


def _note(campaign: Campaign, kind: str, value: Any) -> None:
    if kind == "finding":
        given, why = cast("tuple[Input, str]", value)
        text = to_json(given)
        path = CORPUS / campaign.target / f"found-{hashlib.sha256(text.encode()).hexdigest()[:10]}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        campaign.findings.append(path.name)
        print(f"{campaign.target}: {path.name}: {why}", file=sys.stderr, flush=True)
    else:
        executions, campaign.worst, campaign.grown = value[0], max(campaign.worst, value[1]), value[2]
        campaign.executions += executions


def _start(name: str, length: Length, seed: int, *, guided: bool) -> tuple[Path, Connection, Any]:
    context = multiprocessing.get_context("spawn")
    receiver, sender = cast("tuple[Connection, Connection]", context.Pipe(duplex=False))
    current = Path(f"/dev/shm/sqlassay-fuzz-{os.getpid()}-{name}")
    process = context.Process(target=run_target, args=(name, length, seed, guided, str(current), sender))
    process.start()
    sender.close()
    return current, receiver, process
