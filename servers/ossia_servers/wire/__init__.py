"""How requests to a model are read and answers are formed; what is said is decided elsewhere."""
