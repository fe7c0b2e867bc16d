"""Quantities as curves and histograms."""
