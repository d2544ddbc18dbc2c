"""Tests of the rules about manuscripts."""
