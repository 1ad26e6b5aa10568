"""The options of `sqlassay rules read`."""

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass(frozen=True, kw_only=True)
class DictionaryOptions:
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Markdown, DDL or dbt's schema.yml of one database; - is stdin.")
    ]
    dialect: Annotated[
        str | None, typer.Option("--dialect", metavar="NAME", help="The dialect of the DDL, stored in the rules too.")
    ] = None
    tenant: Annotated[
        str | None, typer.Option("--tenant", metavar="NAME", help="Add to this tenant's rules in force.")
    ] = None
    model: Annotated[
        bool, typer.Option("--model", help="Let the model that writes rules read the files, whatever their wording.")
    ] = False
    out: Annotated[str, typer.Option("--out", metavar="RULES.json", help="Where the rules go; - is stdout.")] = "-"
