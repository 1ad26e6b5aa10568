"""In which order objects come to a cluster: by Helm and Flux, and by Argo CD, which renders the chart and syncs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

_INSTALL = ("ServiceAccount", "Secret", "ConfigMap")
"""Kinds that Helm and Argo CD create first, in this order."""
PHASES = {"helm": ("pre-install", "post-install"), "argo": ("PreSync", "PostSync")}
_ARGO = {
    **dict.fromkeys(("pre-install", "pre-upgrade"), "PreSync"),
    **dict.fromkeys(("post-install", "post-upgrade"), "PostSync"),
}
"""The phase of a sync in which Argo CD runs a hook of Helm; it runs no others."""


def hooks(made: dict[str, Any]) -> set[str]:
    """The hooks of Helm that an object belongs to."""
    text: str = (made["metadata"].get("annotations") or {}).get("helm.sh/hook", "")
    return {each.strip() for each in text.split(",") if each.strip()}


def first_install(objects: Sequence[dict[str, Any]], by: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The phases of a first install, each with what it applies in order: hooks before, the release, hooks after."""
    before, after = PHASES[by]

    def phases_of(each: dict[str, Any]) -> set[str]:
        return hooks(each) if by == "helm" else {_ARGO[hook] for hook in hooks(each) if hook in _ARGO}

    yield before, sorted((each for each in objects if before in phases_of(each)), key=_place)
    yield "release", sorted((each for each in objects if not hooks(each)), key=_place)
    yield after, sorted((each for each in objects if after in phases_of(each)), key=_place)


def _place(made: dict[str, Any]) -> tuple[int, int, str]:
    weight = int((made["metadata"].get("annotations") or {}).get("helm.sh/hook-weight", "0"))
    kind = made["kind"]
    return weight, _INSTALL.index(kind) if kind in _INSTALL else len(_INSTALL), made["metadata"]["name"]


def name_of(made: dict[str, Any]) -> tuple[str, str]:
    """Kind and name."""
    return made["kind"], made["metadata"]["name"]


def needed(pod: dict[str, Any]) -> set[tuple[str, str]]:
    """The objects without which a Pod does not start."""
    spec = pod["spec"]
    found = {("ServiceAccount", spec.get("serviceAccountName", "default"))}
    for volume in spec.get("volumes", []):
        for field, key, kind in (("secret", "secretName", "Secret"), ("configMap", "name", "ConfigMap")):
            if field in volume and not volume[field].get("optional"):
                found.add((kind, volume[field][key]))
    for container in [*spec["containers"], *spec.get("initContainers", [])]:
        for source in [
            *container.get("envFrom", []),
            *(each.get("valueFrom", {}) for each in container.get("env", [])),
        ]:
            for field, kind in (
                *(("secretRef", "Secret"), ("secretKeyRef", "Secret")),
                *(("configMapRef", "ConfigMap"), ("configMapKeyRef", "ConfigMap")),
            ):
                if field in source and not source[field].get("optional"):
                    found.add((kind, source[field]["name"]))
    return found
