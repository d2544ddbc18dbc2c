"""Tests of the rules about scenes."""
