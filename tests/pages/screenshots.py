"""Makes the pictures of `docs/console.md`: `make screenshots`."""

from __future__ import annotations

import json
import tempfile
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


def pages(site: str) -> Mapping[str, str]:
    """What is shown, by the name of its picture."""
    worst = f"{site}/v1/evaluations?tenant={TENANT}&agent=ember&order=worst&limit=1"
    with urlopen(worst, timeout=60) as reply:
        answer = json.load(reply)["items"][0]["id"]
    return {
        "agents": "/console",
        "answer": f"/console/evaluations/{answer}",
        "review": f"/console/review/{answer}?reviewer=noor",
        "slices": f"/console/slices?tenant={TENANT}&view=changes",
        "trust": f"/console/trust?tenant={TENANT}",
    }


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
        for width in WIDTHS:
            for theme in THEMES:
                with opened(browser, width, theme, height=_HEIGHT) as page:
                    for name, address in pages(client.base).items():
                        page.goto(client.base + address)
                        _store(page.screenshot(), IMAGES / f"{name}-{width}-{theme}.png")


if __name__ == "__main__":
    main()
