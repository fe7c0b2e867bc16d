"""Frozen-encoder evaluation: probes that read features without touching the encoder.

``clips.py`` and ``sources/`` say what is looked at, ``windows.py`` how, ``encoders/`` by what, ``store.py``
keeps the features, ``task.py`` splits, ``fitting.py`` and ``heads/`` train, ``testing.py`` looks at the test
part once, ``claims.py`` says what may be said.
"""
