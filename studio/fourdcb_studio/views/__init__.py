"""The views of the window and what feeds them."""
