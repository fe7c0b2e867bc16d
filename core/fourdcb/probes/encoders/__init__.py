"""Frozen encoders: windows of a clip in, features out."""

from fourdcb.probes.encoders.contract import Encoder as Encoder
from fourdcb.probes.encoders.contract import EncoderSpec as EncoderSpec
from fourdcb.probes.encoders.contract import Features as Features
from fourdcb.probes.encoders.table import encoder_of as encoder_of
