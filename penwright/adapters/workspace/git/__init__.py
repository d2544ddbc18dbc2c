"""git itself: its commands, objects, refs, folders and lock."""
