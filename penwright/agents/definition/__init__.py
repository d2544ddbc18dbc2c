"""What an agent is: its sections, checked when it is declared, pinned by a digest."""
