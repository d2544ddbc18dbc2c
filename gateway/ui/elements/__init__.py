"""The elements of pages that need neither the frame nor the visit of a reader."""
