"""Visits to the console's review, as a browser without script makes them."""

from __future__ import annotations

import html
import re
from typing import Any

import httpx

START = "/console/review?tenant=bakers&reviewer=ann"
SECRETS = ("How the score", "p(correct)", "The judge says", "FILTER_", "Potentially", "badge")
"""What would tell the verdict."""


async def shown(client: httpx.AsyncClient, path: str, **more: Any) -> str:
    reply = await client.get(path, **more)
    assert reply.status_code == 200, reply.text
    return reply.text


def fields(page: str, action: str) -> dict[str, str]:
    """The fields of the form with this action, as a browser without script sends them."""
    form = re.search(rf'<form[^>]*action="{re.escape(action)}".*?</form>', page, re.DOTALL)
    assert form is not None, action
    sent: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", form[0]):
        given = {name: html.unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', tag)}
        if given.get("type") != "radio" or " checked" in tag:
            sent[given["name"]] = given.get("value", "")
    for name, value in re.findall(r'<textarea[^>]*name="(\w+)"[^>]*>\n(.*?)</textarea>', form[0], re.DOTALL):
        sent[name] = html.unescape(value)
    return sent


async def send(client: httpx.AsyncClient, path: str, given: dict[str, str], **more: Any) -> httpx.Response:
    return await client.post(path, data=given, **more)


async def take(client: httpx.AsyncClient, reviewer: str = "ann", **given: str) -> str:
    """Takes the next answer, and returns the address of its page."""
    page = await shown(client, f"/console/review?tenant=bakers&reviewer={reviewer}")
    sent = fields(page, "/console/review/next") | given
    reply = await send(client, "/console/review/next", sent)
    assert reply.status_code == 303, reply.text
    return reply.headers["location"]


def path_of(address: str) -> str:
    return address.partition("?")[0]


async def labels(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    return (await client.get("/v1/labels?tenant=bakers")).json()["items"]
