"""Charts as values: what pages, terminals and picture files show."""
