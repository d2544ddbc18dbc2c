"""Rules, pure: no clock, no disk, no network, no randomness. Facts come in as arguments."""
