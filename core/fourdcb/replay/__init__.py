"""Worlds played back: motion, pictures, and the order in which both come about."""

from fourdcb.replay.frames import CancellableFrames as CancellableFrames
from fourdcb.replay.frames import DrawnFrames as DrawnFrames
from fourdcb.replay.frames import FrameSequence as FrameSequence
from fourdcb.replay.frames import IncomingFrames as IncomingFrames
from fourdcb.replay.frames import MadeFrames as MadeFrames
from fourdcb.replay.pipeline import drawn_meanwhile as drawn_meanwhile
from fourdcb.replay.player import Replay as Replay
from fourdcb.replay.player import is_kept as is_kept
from fourdcb.replay.player import replay as replay
