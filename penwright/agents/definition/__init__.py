"""Definition of an agent: its sections, checked when it is declared, pinned by a digest."""
