"""Detectors that need no model: ways in which the assistant fails, by the names of MAST."""
