"""What the kubelet makes of rendered objects: the environment variables of a container."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

CLUSTER_IP = "10.96.12.7"


def service_links(services: Sequence[dict[str, Any]], address: str = CLUSTER_IP) -> dict[str, str]:
    """The variables of each Service with an address, by the rule of the kubelet's package `envvars`."""
    variables: dict[str, str] = {}
    for service in services:
        if service["spec"].get("clusterIP") == "None":
            continue
        prefix, ports = _variable(service["metadata"]["name"]), service["spec"]["ports"]
        variables[f"{prefix}_SERVICE_HOST"] = address
        variables[f"{prefix}_SERVICE_PORT"] = str(ports[0]["port"])
        for each in ports:
            if "name" in each:
                variables[f"{prefix}_SERVICE_PORT_{_variable(each['name'])}"] = str(each["port"])
        variables |= _of_ports(prefix, ports, address)
    return variables


def _of_ports(prefix: str, ports: Sequence[dict[str, Any]], address: str) -> dict[str, str]:
    variables: dict[str, str] = {}
    host = f"[{address}]" if ":" in address else address
    for place, each in enumerate(ports):
        protocol, port = each.get("protocol", "TCP"), each["port"]
        url = f"{protocol.lower()}://{host}:{port}"
        link = f"{prefix}_PORT_{port}_{protocol}"
        variables |= {f"{prefix}_PORT": url} if place == 0 else {}
        variables |= {link: url, f"{link}_PROTO": protocol.lower()}
        variables |= {f"{link}_PORT": str(port), f"{link}_ADDR": address}
    return variables


def _variable(name: str) -> str:
    return name.upper().replace("-", "_")


def environment(
    container: dict[str, Any], objects: Sequence[dict[str, Any]], secrets: Mapping[str, Mapping[str, str]]
) -> dict[str, str]:
    """The variables of a container, from the rendered objects and from the operator's own `secrets`."""
    held: dict[tuple[str, str], Mapping[str, str]] = {("Secret", name): data for name, data in secrets.items()}
    for each in objects:
        if each["kind"] in {"ConfigMap", "Secret"}:
            held[each["kind"], each["metadata"]["name"]] = each.get("data") or each.get("stringData") or {}
    variables: dict[str, str] = {}
    for source in container.get("envFrom", []):
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            if field in source:
                variables |= held[kind, source[field]["name"]]
    for each in container.get("env", []):
        if "value" in each:
            variables[each["name"]] = each["value"]
        elif "secretKeyRef" in each["valueFrom"]:
            wanted = each["valueFrom"]["secretKeyRef"]
            value = held["Secret", wanted["name"]].get(wanted["key"])
            if value is None:
                assert wanted.get("optional"), f"{wanted['name']} has no key {wanted['key']}"
            else:
                variables[each["name"]] = value
    return variables
