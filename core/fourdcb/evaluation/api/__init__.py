"""Contracts of the evaluation core: JSON-safe, immutable, import-light.

Their field names are what lies on disk and what runners outside this repository build on: a change here is a
change of version. Nothing in this package imports numpy, an engine, a model or a vendor's library.
"""

from fourdcb.evaluation.api.benchmark import BenchmarkSpec as BenchmarkSpec
from fourdcb.evaluation.api.benchmark import Evidence as Evidence
from fourdcb.evaluation.api.benchmark import TaskSpec as TaskSpec
from fourdcb.evaluation.api.fidelity import Claim as Claim
from fourdcb.evaluation.api.fidelity import Fidelity as Fidelity
from fourdcb.evaluation.api.fidelity import RunFidelity as RunFidelity
from fourdcb.evaluation.api.generation import GenerationRequest as GenerationRequest
from fourdcb.evaluation.api.generation import GenerationResult as GenerationResult
from fourdcb.evaluation.api.generation import GenerationStatus as GenerationStatus
from fourdcb.evaluation.api.generation import WorldModelRunner as WorldModelRunner
from fourdcb.evaluation.api.metric import Aggregate as Aggregate
from fourdcb.evaluation.api.metric import Metric as Metric
from fourdcb.evaluation.api.metric import MetricDefinition as MetricDefinition
from fourdcb.evaluation.api.metric import SampleScore as SampleScore
from fourdcb.evaluation.api.records import Record as Record
