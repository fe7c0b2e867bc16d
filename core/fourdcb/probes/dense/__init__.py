"""Dense checks: what patch tokens tell of places, on frames that were fixed beforehand."""
