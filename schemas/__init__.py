"""Values that cross a boundary: frozen, tolerant of unknown fields, without behaviour."""
