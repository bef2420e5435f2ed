"""Simulated domain servers, the worlds behind them, and the model gateway."""
