"""How failures of the assistant's roles are attributed: their contracts, and repairs by them."""
