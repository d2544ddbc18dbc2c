"""Authors of texts, and the intents they wrote under."""
