"""Scoring, attribution, statistics and reports over finished episodes."""
