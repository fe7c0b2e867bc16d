"""Endings of the files that are taken for videos before anybody has looked inside."""

VIDEO_SUFFIXES = frozenset({".mp4", ".mov", ".mkv", ".webm", ".avi", ".m4v"})
