"""Citation scans in tests."""
