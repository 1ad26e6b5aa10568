"""Makes the backend that the options name."""

from __future__ import annotations

from service.commands.eval.runner.backends.recorded import read_predictions
from service.commands.eval.runner.generating import NamedBackend
from service.commands.eval.runner.run_options import EvalRunOptions
from service.commands.exits import refuse


def build_backend(options: EvalRunOptions) -> NamedBackend:
    """Returns the backend. Ends the command when the options do not make one."""
    if options.backend != "recorded":
        refuse(f"unknown backend {options.backend!r}")
    return _recorded(options)


def _recorded(options: EvalRunOptions) -> NamedBackend:
    if options.predictions is None:
        refuse("--backend recorded needs --predictions P.jsonl")
    found = read_predictions(options.predictions, options.samples)
    return NamedBackend("recorded", found.generate, {"predictions": found.sha256})
