"""The embedded model: answers as every role without any network."""
