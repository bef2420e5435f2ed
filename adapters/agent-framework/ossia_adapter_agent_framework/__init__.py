"""The team in Microsoft Agent Framework: agents as tools, and agents that hand off."""
