"""`make audit`: looks up every pinned package for known vulnerabilities, and says so when it could not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from tests.supply.images import ROOT

LOCK = ROOT / "constraints.txt"


def main() -> int:
    """Runs pip-audit; returns 0 without a finding, 1 with one, 3 when packages could not be looked up."""
    command = ["--disable-pip", "--require-hashes", "-r", str(LOCK), "--progress-spinner", "off", "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", *command], capture_output=True, text=True, check=False, cwd=ROOT
    )
    try:
        report = json.loads(done.stdout)
    except ValueError:
        print(f"The advisory service is unreachable: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return 3
    code, said = verdict(report["dependencies"])
    print(said)
    return code


def verdict(packages: Sequence[Mapping[str, Any]]) -> tuple[int, str]:
    """The exit code for pip-audit's findings, and what to print.

    >>> verdict([{"name": "a", "version": "1", "vulns": []}])
    (0, '1 packages have no known vulnerability.')
    >>> verdict([{"name": "a", "skip_reason": "not found"}])[0]
    3
    """
    found = [f"{each['name']} {each['version']}: {fault['id']}" for each in packages for fault in each.get("vulns", ())]
    unknown = [str(each["name"]) for each in packages if "skip_reason" in each]
    if found:
        return 1, "\n".join([*found, f"{len(found)} known vulnerabilities in {len(packages)} packages."])
    if unknown or not packages:
        return 3, (
            f"The advisory service knows nothing of {len(unknown)} of {len(packages)} packages, so nothing is known"
            " about them: it is unreachable, or this index does not offer it. Run this where it is reachable."
        )
    return 0, f"{len(packages)} packages have no known vulnerability."


if __name__ == "__main__":
    sys.exit(main())
