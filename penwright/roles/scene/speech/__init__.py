"""Speech that comes in JSON, tags or fences."""
