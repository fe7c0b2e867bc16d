"""What a clip shows without any script: what stands still, what moves, where, and when it turns.

``observe_clip`` is the door; nothing here knows a world or a truth.
"""

from fourdcb.oracle.observe.clip import ClipObservation as ClipObservation
from fourdcb.oracle.observe.clip import ObservedThing as ObservedThing
from fourdcb.oracle.observe.clip import observe_clip as observe_clip
