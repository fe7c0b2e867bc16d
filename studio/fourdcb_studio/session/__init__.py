"""The Studio's state and decisions, without Qt: one session per window, on the GUI thread only."""
