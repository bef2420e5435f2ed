"""Ossia: run one agent team on many orchestration frameworks and say which agent failed."""
