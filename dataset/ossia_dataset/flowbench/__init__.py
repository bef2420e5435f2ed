"""Sessions of FlowBench: what a user wants, knows and does in a conversation."""
