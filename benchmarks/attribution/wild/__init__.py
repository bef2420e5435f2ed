"""Faults that change bytes on the wire and know nothing of the task, to test the attributor."""
