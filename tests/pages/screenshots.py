"""Makes the pictures of `docs/console.md`: `make screenshots`."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from urllib.request import urlopen

from PIL import Image
from playwright.sync_api import sync_playwright

from service.commands.demo import post_samples, running_service
from service.samples.fortnight import TENANT
from tests.pages.browsing import WIDTHS, Theme, opened
from tests.servers.install import CHROMIUM

IMAGES = Path(__file__).parents[2] / "docs" / "images"
THEMES: tuple[Theme, ...] = ("light", "dark")
_HEIGHT = 900
_TRIES = 60


def pages(site: str) -> Mapping[str, str]:
    """What is shown, by the name of its picture."""
    answer = _first(f"{site}/v1/evaluations?tenant={TENANT}&agent=ember&order=worst&limit=1")
    return {
        "agents": "/console",
        "answer": f"/console/evaluations/{answer}",
        "compare": f"/console/compare?tenant={TENANT}&agent=ember",
        "incident": f"/console/incidents/{_first(f'{site}/v1/incidents')}",
        "review": f"/console/review/{answer}?reviewer=noor",
        "slices": f"/console/slices?tenant={TENANT}&view=changes",
        "status": "/console/status",
        "trust": f"/console/trust?tenant={TENANT}",
    }


def _first(address: str) -> str:
    """The id of the first item, once there is one: an incident is opened soon after its answers."""
    for _ in range(_TRIES):
        with urlopen(address, timeout=60) as reply:
            if items := json.load(reply)["items"]:
                return str(items[0]["id"])
        time.sleep(1)
    raise TimeoutError(f"{address} lists nothing after {_TRIES} s")


def _store(picture: bytes, path: Path) -> None:
    """Writes a picture with few colours: pages have few, and it takes a third of the bytes."""
    Image.open(BytesIO(picture)).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    # not below the checkout: the account that PostgreSQL runs as could not enter it
    with (
        tempfile.TemporaryDirectory(prefix="sqlassay-pictures-", ignore_cleanup_errors=True) as state,
        running_service(Path(state)) as (client, _),
        sync_playwright() as playwright,
    ):
        post_samples(client)
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM.find()), args=["--no-sandbox"])
        shown = pages(client.base)
        for width in WIDTHS:
            for theme in THEMES:
                with opened(browser, width, theme, height=_HEIGHT) as page:
                    for name, address in shown.items():
                        page.goto(client.base + address)
                        _store(page.screenshot(), IMAGES / f"{name}-{width}-{theme}.png")


if __name__ == "__main__":
    main()
