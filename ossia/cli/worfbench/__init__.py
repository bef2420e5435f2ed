"""Commands of the suite WorFBench."""
