"""The context envelope: what a role of a scene is shown, what it may know, and how it fits the budget."""
