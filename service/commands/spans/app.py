"""The commands of `sqlassay spans`."""

from typing import Annotated

import typer

from service.commands.options import AsJson

spans = typer.Typer(help="Explain what OpenTelemetry spans give.", no_args_is_help=True)


@spans.callback()
def spans_group() -> None:
    """Explain what OpenTelemetry spans give."""


@spans.command("explain")
def spans_explain(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="An OTLP trace export, in JSON or protobuf; - is stdin.")
    ],
    as_json: AsJson = False,
) -> None:
    """Say for each span of an OTLP file what is read from it, and which answer comes or why none. Stores nothing."""
    from service.commands.spans.explain import explain_spans

    explain_spans(source, as_json=as_json)
