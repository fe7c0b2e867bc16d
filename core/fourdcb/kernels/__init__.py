"""Plain loops over arrays, compiled once and kept as machine code. Numba is loaded only to compile them."""
