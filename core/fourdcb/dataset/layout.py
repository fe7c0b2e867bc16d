"""What the files of a scene folder are called, for whoever writes, opens or lists one."""

REFERENCE_NAME = "world.py"
VIDEO_NAME = "video.mp4"
CANDIDATE_FOLDER = "candidates"

# Of a generated sample, beside the two above.
CLEAN_NAME = "clean.mp4"
CAMERA_NAME = "camera.json"
TRUTH_NAME = "truth.npz"
DEGRADATION_NAME = "degradation.json"
SAMPLE_NAME = "sample.json"
# Of a generated set.
MANIFEST_NAME = "manifest.jsonl"
REJECTED_FOLDER = "rejected"
PARTIAL_FOLDER = ".partial"
SHEET_NAME = "index.html"
SPLITS_NAME = "splits.json"
