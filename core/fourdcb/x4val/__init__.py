"""Multi-source evaluation: one honest figure from several unpaired sources."""
