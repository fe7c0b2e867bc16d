"""Geometry and time: poses, sizes, shapes and visible surfaces compared, and how errors grow."""
