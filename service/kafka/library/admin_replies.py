"""Reads what aiokafka's administrator returns: structures whose fields have numbers in place of names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from aiokafka.errors import for_code


def group_errors(replies: Iterable[Any]) -> list[type[BaseException]]:
    """Why groups could not be described; empty where all were."""
    return [for_code(group[0]) for reply in replies for group in reply.groups if group[0]]


def members_of(replies: Iterable[Any]) -> list[tuple[str, str]]:
    """The members of the described groups: what each calls itself, and its host."""
    members = [member for reply in replies for group in reply.groups for member in group[5]]
    # member id, client id, host, metadata, assignment
    return [(str(each[1]), str(each[2]).lstrip("/")) for each in members]


def topic_options(replies: Iterable[Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each described topic or broker with its configuration; one that may not be described has none."""
    for _, _, _, name, entries in (resource for reply in replies for resource in reply.resources):
        yield str(name), {str(each[0]): str(each[1]) for each in entries}
