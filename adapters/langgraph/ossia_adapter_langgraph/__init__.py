"""The team in LangGraph: a supervisor that routes, one that has tools, and agents that hand off."""
