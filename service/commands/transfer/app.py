"""The commands `sqlassay export` and `sqlassay import`."""

from service.commands.options import with_options
from service.commands.transfer.transfer_options import ExportOptions, ImportOptions


@with_options(ExportOptions)
def export(options: ExportOptions) -> None:
    """Write stored answers with their scores to a file, oldest first. Exit code 1 if there are none."""
    from service.commands.transfer.export_scores import export_scores

    export_scores(options)


@with_options(ImportOptions)
def import_(options: ImportOptions) -> None:
    """Add scores of stored answers that were made elsewhere, each once. Exit code 1 if a line is refused."""
    from service.commands.transfer.import_scores import import_scores

    import_scores(options)
