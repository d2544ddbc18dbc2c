"""Plans who acts next, in what order and to what end."""
