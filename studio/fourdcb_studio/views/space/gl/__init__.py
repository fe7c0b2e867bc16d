"""The 3D view drawn by OpenGL, off the screen."""
