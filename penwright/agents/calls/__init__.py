"""One tool call: checked before it is made, turned into one result after it was made."""
