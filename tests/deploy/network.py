"""Decides from rendered NetworkPolicies whether a connection is admitted, as Kubernetes defines it.

A Pod that a policy of a direction selects admits only what one of these policies admits; others admit everything. Both
ends must admit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Any

RELEASE = "quality"
"""The namespace of the rendered objects."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """One end of a connection: a Pod with its namespace, or an address outside the cluster."""

    namespace: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    address: str = "10.244.7.7"
    ports: Mapping[str, int] = field(default_factory=dict[str, int])
    """Named ports of its containers."""


def admitted(
    policies: Sequence[dict[str, Any]], source: Place, target: Place, port: int, protocol: str = "TCP"
) -> bool:
    """Whether `source` may connect to `port` of `target`."""
    return _passes(policies, "Ingress", target, source, target, port, protocol) and _passes(
        policies, "Egress", source, target, target, port, protocol
    )


def _passes(
    policies: Sequence[dict[str, Any]], way: str, ours: Place, other: Place, listener: Place, port: int, protocol: str
) -> bool:
    chosen = [each["spec"] for each in policies if _selects(each, ours) and way in each["spec"]["policyTypes"]]
    side = {"Ingress": "from", "Egress": "to"}[way]
    rules = [rule for spec in chosen for rule in spec.get(way.lower(), [])]
    return not chosen or any(
        _port_matches(rule.get("ports"), listener, port, protocol) and _peer_matches(rule.get(side), other)
        for rule in rules
    )


def _selects(policy: dict[str, Any], place: Place) -> bool:
    return place.namespace == RELEASE and _labelled(policy["spec"]["podSelector"], place.labels)


def _port_matches(ports: Sequence[dict[str, Any]] | None, listener: Place, port: int, protocol: str) -> bool:
    if not ports:
        return True
    return any(
        each.get("protocol", "TCP") == protocol
        and (each["port"] if isinstance(each["port"], int) else listener.ports.get(each["port"])) == port
        for each in ports
    )


def _peer_matches(peers: Sequence[dict[str, Any]] | None, other: Place) -> bool:
    return not peers or any(_matches(each, other) for each in peers)


def _matches(peer: dict[str, Any], other: Place) -> bool:
    if "ipBlock" in peer:
        # of a Pod's address no policy may assume anything
        return other.namespace is None and _in_block(peer["ipBlock"], other.address)
    if other.namespace is None:
        return False
    if "namespaceSelector" in peer:
        here = _labelled(peer["namespaceSelector"], {"kubernetes.io/metadata.name": other.namespace})
    else:
        here = other.namespace == RELEASE
    return here and _labelled(peer.get("podSelector", {}), other.labels)


def _in_block(block: dict[str, Any], address: str) -> bool:
    inside = ip_address(address) in ip_network(block["cidr"])
    return inside and not any(ip_address(address) in ip_network(each) for each in block.get("except", []))


def _labelled(selector: dict[str, Any], labels: Mapping[str, str]) -> bool:
    assert set(selector) <= {"matchLabels"}, "only matchLabels are evaluated"
    return selector.get("matchLabels", {}).items() <= dict(labels).items()
