"""Turns instructions into guidance on form and style."""
