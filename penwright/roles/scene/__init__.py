"""The roles of a scene: who directs it, plays it, tells it, and keeps its memory."""
