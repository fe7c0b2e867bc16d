"""Trajectories: states over time, contact tables, events."""

from fourdcb.trajectory.events import derive_events as derive_events
from fourdcb.trajectory.events import with_events as with_events
from fourdcb.trajectory.model import ContactTable as ContactTable
from fourdcb.trajectory.model import Event as Event
from fourdcb.trajectory.model import EventKind as EventKind
from fourdcb.trajectory.model import Trajectory as Trajectory
from fourdcb.trajectory.particles import ParticleTrack as ParticleTrack
from fourdcb.trajectory.storage import check_suffix as check_suffix
from fourdcb.trajectory.storage import load_trajectory as load_trajectory
from fourdcb.trajectory.storage import save_trajectory as save_trajectory
