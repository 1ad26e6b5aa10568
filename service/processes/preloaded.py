"""What every process that is forked for scoring or judging has at once: the modules and the packaged judge.

Only the server that forks imports this module. Objects are frozen there, so that its children share their memory.
"""

from __future__ import annotations

from references.equivalence import certify
from references.judging import judge_answer
from service.processes.interpreter import tune_interpreter
from service.processes.scoring_child import open_judge, warm_up

__all__ = ["certify", "judge_answer"]

open_judge(None)
warm_up()
tune_interpreter()
