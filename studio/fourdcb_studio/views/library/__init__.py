"""The case library: tiles, facets, details."""
