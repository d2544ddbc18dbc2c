"""Front ends: they parse, ask the desk and print; they hold no rule."""
