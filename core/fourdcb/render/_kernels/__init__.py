"""The compiled part of the renderer: plain loops over arrays. Importing any of it loads numba."""
