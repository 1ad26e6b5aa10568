"""`make image-check`: builds the image's file system without a container engine, and runs it read-only, not as root.

Debian's packages stand in for the base image (the same release, its Python). The rest follows the Dockerfile: the same
locked files, the last stage's commands, its user. Needs Debian, root and `debootstrap`.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from tests.servers.processes import free_port
from tests.supply.images import ROOT

USER = 10001
_SCRIPT = "#!/opt/sqlassay/bin/python3\nimport sys\nfrom sqlassay.__main__ import main\nsys.exit(main())\n"
_START_SECONDS = 180
_ENTER = """
set -eu
mount --bind "$1" "$1"; mount -t proc proc "$1/proc"; mount -t tmpfs tmpfs "$1/tmp"; mount -t tmpfs tmpfs "$1/dev"
mknod -m 666 "$1/dev/null" c 1 3; mknod -m 666 "$1/dev/urandom" c 1 9; mknod -m 666 "$1/dev/random" c 1 8
mkdir -m 1777 "$1/dev/shm"; chmod 1777 "$1/tmp"; mount -o remount,bind,ro "$1"
exec chroot --userspec=10001:10001 "$1" /usr/bin/setpriv --no-new-privs --bounding-set=-all /usr/bin/env -i HOME=/tmp \
  PATH=/opt/sqlassay/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 \\
  SQLASSAY_HTTP__PORT="$2" SQLASSAY_STATE_DIR=/tmp/state "${@:3}"
"""


def build(root: Path) -> None:
    """Makes the file system: Debian, the locked packages, the project, and the last stage's commands."""
    debian = root.with_name("debian")
    if not (debian / "usr" / "bin" / "python3").exists():
        run(
            "debootstrap",
            "--variant=minbase",
            "--include=python3,python3-venv,ca-certificates",
            "bookworm",
            str(debian),
        )
    shutil.rmtree(root, ignore_errors=True)
    run("cp", "--archive", str(debian), str(root))
    run("chroot", str(root), "python3", "-m", "venv", "--without-pip", "/opt/sqlassay")
    [packages] = root.glob("opt/sqlassay/lib/python3.*/site-packages")
    version = packages.parent.name.removeprefix("python")
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-cache-dir",
        "--upgrade",
        "--target",
        str(packages),
    ]
    locked = str(ROOT / "deploy" / "image" / "packages.txt")
    run(*install, "--python-version", version, "--only-binary", ":all:", "--no-deps", "--require-hashes", "-r", locked)
    wheels = root.parent / "wheels"
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(wheels), str(ROOT))
    run(*install, "--no-deps", *(str(each) for each in wheels.glob("sqlassay-*.whl")))
    script = root / "opt" / "sqlassay" / "bin" / "sqlassay"
    script.write_text(_SCRIPT)
    script.chmod(0o755)
    for command in last_stage():
        subprocess.run(["chroot", str(root), "sh", "-ec", command], check=True)


def last_stage() -> list[str]:
    """What the last stage of the Dockerfile runs."""
    stage = (ROOT / "Dockerfile").read_text().rpartition("\nFROM ")[2].replace("\\\n", " ")
    return re.findall(r"^RUN (.*)$", stage, flags=re.MULTILINE)


def run(*command: str) -> None:
    """Runs a command; raises when it fails."""
    subprocess.run(command, check=True)


def faults(root: Path) -> Iterator[str]:
    """What a file system must not hold."""
    for path in root.rglob("*"):
        if path.is_symlink():
            continue
        mode, where = path.stat().st_mode, path.relative_to(root)
        if path.is_file() and mode & 0o6000:
            yield f"/{where} runs with another's rights"
        if mode & 0o002 and not mode & 0o1000 and (path.is_file() or path.is_dir()):
            yield f"/{where} can be written by everybody"
        if path.name in {"gcc", "cc", "g++", "clang", "make"} and path.parent.name == "bin":
            yield f"/{where} is a compiler"
    for module in root.glob("opt/sqlassay/lib/python3.*/site-packages/scoring/__init__.py"):
        if not list(module.parent.glob("__pycache__/*.pyc")):
            yield f"/{module.relative_to(root)} is not compiled: every process would compile it"
    for cache in (root / "root" / ".cache", root / "opt" / "sqlassay" / "bin" / "pip"):
        if cache.exists():
            yield f"/{cache.relative_to(root)} was left behind"


def enter(root: Path, port: int, *command: str) -> subprocess.Popen[bytes]:
    """Starts a command in the file system: read-only but for /tmp, without rights."""
    outer = [
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "bash",
        "-c",
        _ENTER,
        "enter",
        str(root),
        str(port),
    ]
    # a group of its own: the kernel forgets --kill-child once the command becomes another user
    return subprocess.Popen(
        [*outer, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )


_TRY_TO_WRITE = """
for place in / /etc /opt/sqlassay /usr/bin /var/lib /home /root /run; do
  if touch $place/x 2>/dev/null; then echo "$place can be written"; fi
done
touch /tmp/x && test "$(id -u)" = 10001 && test "$(id -g)" = 10001 && echo checked
"""


def healthy(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Whether the service answers within a few minutes."""
    ends = time.monotonic() + _START_SECONDS
    while time.monotonic() < ends and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as reply:
                return reply.status == 200
        except OSError:
            time.sleep(0.5)
    return False


def main() -> int:
    """Builds, inspects and runs; returns 1 when something is not as it should be."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "image" / "root").absolute()
    root.parent.mkdir(parents=True, exist_ok=True)
    build(root)
    found = list(faults(root))
    tried = enter(root, 0, "/bin/sh", "-c", _TRY_TO_WRITE).communicate()[0].decode().splitlines()
    found += [each for each in tried if each != "checked"]
    found += [] if "checked" in tried else ["the user of the image cannot run, or is root"]
    port = free_port()
    process = enter(root, port, "/opt/sqlassay/bin/sqlassay", "serve")
    try:
        if not healthy(port, process):
            process.terminate()
            said = process.communicate(timeout=30)[0].decode("utf-8", "replace")
            found.append(f"serve does not answer /healthz: {said[-1500:]}")
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    print("\n".join(found) or "serve answers on a read-only file system as user 10001; nothing else can be written.")
    return 1 if found else 0


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("make image-check needs root: it mounts and changes the root of a process")
    sys.exit(main())
