"""Failure attribution by intervention: correct a step, run on, and see whether the failure goes."""
