"""Contact dynamics of our own: the narrow phase finds contacts, the solver moves bodies by them."""
