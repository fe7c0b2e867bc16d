"""Which number of a script is behind a failure."""
