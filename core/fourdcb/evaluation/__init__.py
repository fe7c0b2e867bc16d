"""Judging one candidate against one video; runs of models over benchmarks, and the records that make a score
trustworthy."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fourdcb.evaluation.candidate import Evaluation as Evaluation
    from fourdcb.evaluation.candidate import evaluate as evaluate
    from fourdcb.evaluation.candidate import truth_beside as truth_beside
    from fourdcb.evaluation.pipeline import judge_replays as judge_replays

# Contracts and worker processes need none of these.
_LATER = {
    "Evaluation": "fourdcb.evaluation.candidate",
    "evaluate": "fourdcb.evaluation.candidate",
    "truth_beside": "fourdcb.evaluation.candidate",
    "judge_replays": "fourdcb.evaluation.pipeline",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_LATER[name]), name)
    globals()[name] = value  # the function, not the module of the same name
    return value
