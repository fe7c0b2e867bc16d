"""The standard streams of the command."""

from __future__ import annotations

import os
import sys


def silence_output() -> None:
    """Send what is still to be printed to nowhere: its reader (``| head``) went away."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
