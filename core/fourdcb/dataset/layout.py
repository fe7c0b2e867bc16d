"""What the files of a scene folder are called, for whoever writes, opens or lists one."""

REFERENCE_NAME = "world.py"
VIDEO_NAME = "video.mp4"
CANDIDATE_FOLDER = "candidates"
