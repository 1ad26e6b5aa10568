"""Builds `sqlassay-udf.zip`: the scorer and sqlglot as plain Python, for a warehouse that imports a ZIP file.

Run `python deploy/warehouse/build.py OUT.zip` in the environment of `make install`. The same sources always give the
same bytes.
"""

from __future__ import annotations

import sys
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from hatch_build import moved  # noqa: E402 it is beside pyproject.toml

_LIBRARY = "__init__ answers limited local scorer udf".split()
"""Modules of the library that need sqlglot alone."""


def contents() -> dict[str, bytes]:
    """Every file of the ZIP file, by its name in there."""
    found: dict[str, bytes] = {}
    for name in _LIBRARY:
        found[f"sqlassay/{name}.py"] = _moved(ROOT / "sqlassay" / f"{name}.py")
    for path in (ROOT / "scoring").rglob("*.py"):
        found[f"sqlassay/{path.relative_to(ROOT).as_posix()}"] = _moved(path)
    found["sqlassay/scoring/weights.json"] = (ROOT / "scoring" / "weights.json").read_bytes()
    found["sqlassay/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    found |= _sqlglot()
    return found


def _moved(path: Path) -> bytes:
    return moved(path.read_text(encoding="utf-8"), path.name).encode()


def _sqlglot() -> dict[str, bytes]:
    """Its Python sources and its licence; compiled modules are for one kind of machine."""
    spec = find_spec("sqlglot")
    if spec is None or spec.origin is None:
        raise SystemExit("sqlglot is not installed: run make install")
    folder = Path(spec.origin).parent
    found = {f"sqlglot/{each.relative_to(folder).as_posix()}": each.read_bytes() for each in folder.rglob("*.py")}
    for each in distribution("sqlglot").files or ():
        if each.name == "LICENSE":
            found["sqlglot/LICENSE"] = each.read_binary()
    return found


def build(target: Path) -> None:
    """Writes the ZIP file."""
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, content in sorted(contents().items()):
            # a fixed time, so that the same sources give the same bytes
            archive.writestr(ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, ZIP_DEFLATED)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python deploy/warehouse/build.py OUT.zip")
    build(Path(sys.argv[1]))
