"""`sqlassay eval`: the commands that measure a judge against labels."""

import typer

from service.commands.eval.judge_options import JudgeOptions
from service.commands.options import with_options

evaluation = typer.Typer(help="Measure a judge against labels, offline.", no_args_is_help=True)


@evaluation.command("judge")
@with_options(JudgeOptions)
def eval_judge(options: JudgeOptions) -> None:
    """Measure a judge against labels: agreement, calibration, confidence, slices. Needs the extra `learn`."""
    from service.commands.exits import refuse

    try:
        from service.commands.eval.judge_measurement import measure_judge
    except ImportError as error:
        refuse(f"measuring needs the extra `learn` ({error.name} is missing): pip install 'sqlassay[learn]'")
    measure_judge(options)
