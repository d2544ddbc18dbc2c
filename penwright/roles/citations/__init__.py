"""The agents that find what needs a citation, and works for it."""
