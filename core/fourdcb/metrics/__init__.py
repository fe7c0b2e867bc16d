"""The four axes, the verdict and the findings that localise failures."""

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
