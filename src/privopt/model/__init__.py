"""The model: a program with private data, what is released of it, and where the data may lie."""
