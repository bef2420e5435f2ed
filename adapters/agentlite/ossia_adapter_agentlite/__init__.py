"""The team in AgentLite: a manager agent that calls the members as actions, in text."""
