"""Materials, lights and shadows compared."""
