"""Carries out what the critic or a person asked for."""
