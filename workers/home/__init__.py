"""The data directory: its folder, the addresses of what runs in it, its free space."""
