"""The editor of sessions: reads a session's draft before it is kept, and proposes a few edits."""
