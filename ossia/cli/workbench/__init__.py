"""What the office brings to the command line."""
