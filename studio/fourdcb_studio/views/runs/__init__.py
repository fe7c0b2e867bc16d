"""Evaluation runs: models over samples."""
