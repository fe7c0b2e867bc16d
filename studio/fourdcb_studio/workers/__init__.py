"""Processes and threads that work for the session: transport only, decisions are the session's."""
