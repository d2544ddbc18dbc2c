"""Tests of the manuscript agents."""
