"""What an operator sees of the whole installation: money, timetables, health and settings."""
