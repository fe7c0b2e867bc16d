"""Worlds played back: motion, pictures, and what is kept of both."""

from fourdcb.replay.cache import ReplayCache as ReplayCache
from fourdcb.replay.clip import VideoFrames as VideoFrames
from fourdcb.replay.clip import grid_of as grid_of
from fourdcb.replay.clip import on_clock_of as on_clock_of
from fourdcb.replay.clip import read_on_stage as read_on_stage
from fourdcb.replay.drawing import drawn_meanwhile as drawn_meanwhile
from fourdcb.replay.frames import CancellableFrames as CancellableFrames
from fourdcb.replay.frames import DrawnFrames as DrawnFrames
from fourdcb.replay.frames import FrameSequence as FrameSequence
from fourdcb.replay.frames import IncomingFrames as IncomingFrames
from fourdcb.replay.frames import MadeFrames as MadeFrames
from fourdcb.replay.frames import settled as settled
from fourdcb.replay.player import Replay as Replay
from fourdcb.replay.player import is_kept as is_kept
from fourdcb.replay.player import replay as replay
from fourdcb.replay.steps import Steps as Steps
from fourdcb.replay.steps import finished as finished
