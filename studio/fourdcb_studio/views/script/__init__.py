"""The script as text."""
