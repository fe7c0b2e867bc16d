"""The images side by side, and everything that compares them."""
