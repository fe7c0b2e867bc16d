"""The four axes, the verdict and the findings that localise failures."""

from typing import TYPE_CHECKING

from fourdcb.metrics.criteria import Criteria as Criteria
from fourdcb.metrics.criteria import Threshold as Threshold
from fourdcb.metrics.criteria import load_criteria as load_criteria
from fourdcb.metrics.result import AXES as AXES
from fourdcb.metrics.result import Axis as Axis
from fourdcb.metrics.result import AxisResult as AxisResult
from fourdcb.metrics.result import Cause as Cause
from fourdcb.metrics.result import Claim as Claim
from fourdcb.metrics.result import Finding as Finding
from fourdcb.metrics.result import MetricValue as MetricValue
from fourdcb.metrics.result import Report as Report
from fourdcb.metrics.result import Status as Status
from fourdcb.metrics.result import Verdict as Verdict

if TYPE_CHECKING:
    from fourdcb.metrics.judge import judge as judge


def __getattr__(name: str) -> object:
    """Imports every metric on the first use of ``judge``: a window that only reads reports needs none."""
    if name != "judge":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fourdcb.metrics.judge import judge

    globals()["judge"] = judge  # importing the submodule has put the submodule itself there
    return judge
