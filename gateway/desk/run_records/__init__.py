"""Records of runs: bundles, transcripts, replay, and runs that only the store knows."""
