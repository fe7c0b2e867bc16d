"""Trajectories: states over time, contact tables, events."""

from fourdcb.trajectory.model import ContactTable as ContactTable
from fourdcb.trajectory.model import Event as Event
from fourdcb.trajectory.model import EventKind as EventKind
from fourdcb.trajectory.model import Trajectory as Trajectory
