"""Long work: guarded processes on this machine or a Ray cluster, and journals that survive a kill."""

from fourdcb.work.choice import make_executor as make_executor
from fourdcb.work.local import LocalExecutor as LocalExecutor
from fourdcb.work.outcome import Executor as Executor
from fourdcb.work.outcome import Limits as Limits
from fourdcb.work.outcome import Outcome as Outcome
