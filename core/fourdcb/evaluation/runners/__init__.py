"""Runners that come with the product, one a file; loaded by :mod:`fourdcb.evaluation.resolver` only."""
