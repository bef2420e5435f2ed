"""The assistant's 22 domain servers and their catalogue."""
