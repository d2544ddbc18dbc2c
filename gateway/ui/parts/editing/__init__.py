"""The editor of prose, and fields in which people write."""
