"""Long and short work: one contract, one registry, whatever process or thread does it."""
