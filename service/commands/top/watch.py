"""Looks at the installation again and again, and shows what it found."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import orjson
from rich.console import Console
from rich.live import Live

from consumers.errors import Unavailable
from service.commands.command_context import settings
from service.commands.exits import give_up, refuse
from service.commands.rendering.terminal import print_to_terminal
from service.commands.top.board import Board, board
from service.commands.top.process_looks import look_at_processes
from service.commands.top.screen import screen
from service.commands.top.stored_work import WorkReader
from service.commands.top.top_options import TopOptions
from service.settings import Settings
from service.settings.access_settings import ALL_TENANTS
from service.settings.loading import SettingsError
from service.storage.database import create_engine, database_url

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 compared, not listened on
"""Where this machine reaches a service that listens on all its addresses."""


def watch(options: TopOptions) -> None:
    """Shows the board until stopped, or once. Exit code 3 if something did not answer, asked once."""
    configured = settings()
    urls = [_checked(each) for each in options.services or [_own_url(configured)]]
    token = _token(options.token_file, configured)
    try:
        with suppress(KeyboardInterrupt):
            asyncio.run(_show(_boards(configured, urls, token, options), options))
    except SettingsError as error:
        refuse(str(error))
    except Unavailable as error:
        give_up(str(error))


def _checked(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        refuse(f"--service {url!r}: name a URL that begins with http:// or https://")
    return url


def _own_url(configured: Settings) -> str:
    http = configured.http
    if http.port == 0:
        refuse("SQLASSAY_HTTP__PORT is 0, so the port is not known: name the process by --service")
    return f"http://{_EVERYWHERE.get(http.host, http.host)}:{http.port}"


def _token(file: str | None, configured: Settings) -> str | None:
    """The named token, or that of the settings for all tenants where they hold it in plain text."""
    if file is not None:
        try:
            return Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            refuse(f"--token-file: cannot read {file}: {error}")
    found = configured.http.tokens.get(ALL_TENANTS)
    text = found.token.get_secret_value() if found is not None else ""
    return text if text and not text.startswith("sha256:") else None


async def _boards(
    configured: Settings, urls: list[str], token: str | None, options: TopOptions
) -> AsyncGenerator[Board]:
    """A board every so often. The first comes after two looks, because rates need them."""
    async with AsyncExitStack() as stack:
        engine = create_engine(await stack.enter_async_context(database_url(configured)), configured.database)
        stack.push_async_callback(engine.dispose)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        session = await stack.enter_async_context(
            aiohttp.ClientSession(headers=headers, cookie_jar=aiohttp.DummyCookieJar())
        )
        work = WorkReader(engine=engine)
        before = await look_at_processes(session, urls)
        while True:
            await asyncio.sleep(options.every)
            after, stored = await asyncio.gather(look_at_processes(session, urls), work.look(datetime.now(UTC)))
            yield board(before, after, stored, datetime.now(UTC))
            before = after


async def _show(boards: AsyncGenerator[Board], options: TopOptions) -> None:
    if options.once:
        found = await anext(boards)
        await boards.aclose()
        (_print_json if options.as_json or not sys.stdout.isatty() else _print)(found)
        if found.faults:
            give_up("; ".join(found.faults))
    elif options.as_json or not sys.stdout.isatty():
        await _each(boards, _print_json)
    else:
        with Live("Looking twice …", console=Console(), screen=True, auto_refresh=False) as live:
            await _each(boards, lambda found: live.update(screen(found), refresh=True))


async def _each(boards: AsyncGenerator[Board], show: Callable[[Board], None]) -> None:
    async for found in boards:
        show(found)


def _print(found: Board) -> None:
    print_to_terminal(screen(found))


def _print_json(found: Board) -> None:
    sys.stdout.buffer.write(orjson.dumps(asdict(found), option=orjson.OPT_APPEND_NEWLINE))
    sys.stdout.flush()
