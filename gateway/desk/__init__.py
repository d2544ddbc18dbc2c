"""Functions for every front end: plain, they return values and print nothing."""
