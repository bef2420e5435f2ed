"""Stress: faults on the wire, by a plan. It knows no suite, no framework and no adapter."""
