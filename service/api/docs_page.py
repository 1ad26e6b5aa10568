"""The page `/docs`: Swagger UI over `/openapi.json`, from files of this machine alone."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

router = APIRouter(include_in_schema=False)
_HEADERS = {
    # Swagger UI styles its elements inline and draws its icons from data: URLs
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>SQLAssay API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
_START = 'SwaggerUIBundle({url: "/openapi.json", dom_id: "#page", deepLinking: true, validatorUrl: null});\n'
_SCRIPT = "text/javascript"


@router.get("/docs")
async def docs() -> Response:
    """Serves the page."""
    return HTMLResponse(_PAGE, headers=_HEADERS)


@router.get("/docs/start.js")
async def docs_start() -> Response:
    """Serves the script that starts Swagger UI."""
    return Response(_START, media_type=_SCRIPT, headers=_HEADERS)


@router.get("/docs/swagger-ui-bundle.js")
async def docs_script() -> Response:
    """Serves Swagger UI."""
    return Response(_asset("swagger-ui-bundle.js"), media_type=_SCRIPT, headers=_HEADERS)


@router.get("/docs/swagger-ui.css")
async def docs_style() -> Response:
    """Serves Swagger UI's style sheet."""
    return Response(_asset("swagger-ui.css"), media_type="text/css", headers=_HEADERS)


@cache
def _asset(name: str) -> bytes:
    return (files("fastapi_swagger") / "resources" / name).read_bytes()
