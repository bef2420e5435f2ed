"""From an utterance to its domain, intent and slots."""
