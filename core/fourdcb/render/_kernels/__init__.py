"""The compiled part of the renderer: plain loops over arrays. Numba is loaded only to compile them."""
