"""Views of the whole installation for an operator: money, timetables, health and settings."""
