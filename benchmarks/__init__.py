"""Benchmarks: what Ossia costs beside the plain thing, measured in the same run, in turns."""
