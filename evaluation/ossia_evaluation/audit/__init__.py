"""Auditing verdicts: labelled behaviours are scored, and the shares of right verdicts printed."""
