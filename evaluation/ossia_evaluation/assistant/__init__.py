"""The assistant suite's own part of the evaluation."""
