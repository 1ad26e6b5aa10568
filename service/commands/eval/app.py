"""`sqlassay eval`: measure a judge or an agent: against labels, or against a benchmark."""

import typer

from service.commands.eval.estimate_options import EstimateOptions
from service.commands.eval.judge_options import JudgeOptions
from service.commands.eval.runner.compare_options import CollectOptions, CompareRunsOptions, LeaderboardOptions
from service.commands.eval.runner.run_options import EvalRunOptions
from service.commands.options import with_options

evaluation = typer.Typer(
    help="Measure a judge and agents against labels, and an agent against a benchmark.", no_args_is_help=True
)


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


@evaluation.command("run")
@with_options(EvalRunOptions)
def eval_run(options: EvalRunOptions) -> None:
    """Run an agent over a benchmark: parse, invented names, equivalence to gold SQL, score. Resumes the same --out."""
    from service.commands.exits import refuse

    try:
        from service.commands.eval.runner.run import run_benchmark
    except ImportError as error:
        refuse(f"running needs the extra `learn` ({error.name} is missing): pip install 'sqlassay[learn]'")
    run_benchmark(options)


@evaluation.command("estimate")
@with_options(EstimateOptions)
def eval_estimate(options: EstimateOptions) -> None:
    """Estimate the share of right answers, with its interval, from scores of all answers and labels of some."""
    from service.commands.eval.share_estimates import estimate

    estimate(options)


@evaluation.command("compare")
@with_options(CompareRunsOptions)
def eval_compare(options: CompareRunsOptions) -> None:
    """Compare two runs case by case: difference with its interval, exact paired test, regressions."""
    from service.commands.exits import refuse

    try:
        from service.commands.eval.runner.compare_runs import compare_runs
    except ImportError as error:
        refuse(f"comparing needs the extra `learn` ({error.name} is missing): pip install 'sqlassay[learn]'")
    compare_runs(options)


@evaluation.command("leaderboard")
@with_options(LeaderboardOptions)
def eval_leaderboard(options: LeaderboardOptions) -> None:
    """Write the rates of several runs side by side, as a page with charts and as Markdown."""
    from service.commands.exits import refuse

    try:
        from service.commands.eval.runner.compare_runs import write_leaderboard
    except ImportError as error:
        refuse(f"the leaderboard needs the extra `learn` ({error.name} is missing): pip install 'sqlassay[learn]'")
    write_leaderboard(options)


@evaluation.command("collect")
@with_options(CollectOptions)
def eval_collect(options: CollectOptions) -> None:
    """Turn reviewed answers into a benchmark: one case for each question and database, with the SQL that is right."""
    from service.commands.eval.runner.collect_benchmark import collect_benchmark

    collect_benchmark(options)
