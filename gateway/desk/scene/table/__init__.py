"""People at one table: who has a seat in a scene, what it is shown, and the certificate of what was shown."""
