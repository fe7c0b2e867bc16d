"""Measures between pictures, and between replays and videos."""
