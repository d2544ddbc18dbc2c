"""The agent loop, the runs that employ it, and agents driven from outside."""
