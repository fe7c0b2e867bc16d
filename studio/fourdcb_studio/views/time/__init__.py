"""The time panel: all that has a time axis, on one ruler."""
