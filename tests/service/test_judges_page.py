"""The command that the page gives to try a model server works as it stands there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.servers.model_server import ModelServer, model_process_server, model_server
from tests.service.commands.test_score_models import sqlassay

pytestmark = pytest.mark.slow  # starts a service and a model server

__all__ = ["model_process_server", "model_server"]

PAGE = (Path(__file__).parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")


def test_the_command_to_try_a_server_gives_a_verdict_of_that_server(model_server: ModelServer) -> None:
    [command] = re.findall(r"^sqlassay (score .*)$", PAGE, flags=re.MULTILINE)
    row = json.loads(sqlassay(*shlex.split(command), url=model_server.url).stdout)
    assert (row["model"], row["fallback"], row["verdict"]) == ("stand-in", False, "Correct")
