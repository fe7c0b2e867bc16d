"""Runs of models over benchmarks: planned, generated, scored, resumed, compared."""
