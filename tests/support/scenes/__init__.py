"""Support for tests of scenes."""
