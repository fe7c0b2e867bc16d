"""Heads: the small things that are trained on frozen features, each reported under its own name."""
