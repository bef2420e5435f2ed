"""Does an adapter keep its word? Checks against the real framework, gateway and servers."""
