"""Where the fields of our values stand in the JSON of other programs."""
