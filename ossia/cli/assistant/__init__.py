"""What the assistant brings to the command line."""
