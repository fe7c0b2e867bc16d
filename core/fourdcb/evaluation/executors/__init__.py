"""Where work is done: in guarded processes on this machine, or on a Ray cluster; with the same outcome."""

from fourdcb.evaluation.executors.choice import make_executor as make_executor
from fourdcb.evaluation.executors.local import LocalExecutor as LocalExecutor
from fourdcb.evaluation.executors.outcome import Executor as Executor
from fourdcb.evaluation.executors.outcome import Limits as Limits
from fourdcb.evaluation.executors.outcome import Outcome as Outcome
