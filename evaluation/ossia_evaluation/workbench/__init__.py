"""Scoring the office: by state, with side effects, as WorkBench (arXiv 2405.00823) does."""
