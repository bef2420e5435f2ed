"""The experiment that validates the attributor: known faults are put into episodes that succeed."""
