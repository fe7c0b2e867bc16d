"""Catalogs of models and benchmarks: YAML whose mistakes are told with their line."""

from fourdcb.evaluation.catalog.benchmarks import CatalogBenchmark as CatalogBenchmark
from fourdcb.evaluation.catalog.benchmarks import load_benchmarks as load_benchmarks
from fourdcb.evaluation.catalog.loading import find_entry as find_entry
from fourdcb.evaluation.catalog.models import CatalogModel as CatalogModel
from fourdcb.evaluation.catalog.models import load_models as load_models
