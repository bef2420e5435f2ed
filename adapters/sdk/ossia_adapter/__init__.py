"""What an adapter is: the types, the worker loop and the conformance checks."""
