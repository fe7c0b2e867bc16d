"""Where the simulation process begins; so light that the window can start it before anything else."""

from __future__ import annotations

from multiprocessing.connection import Connection


def enter(connection: Connection) -> None:
    """Serve requests until told to leave."""
    from fourdcb_studio.workers.simulation import serve

    serve(connection)
