"""Painted widgets of the Studio. They get immutable data through setters and emit signals."""
