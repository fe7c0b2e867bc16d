"""Evaluators of other makers: run as commands, their output brought into the shape of scores."""
