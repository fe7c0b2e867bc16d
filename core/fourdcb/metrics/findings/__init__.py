"""Failures localised in time and by object."""
