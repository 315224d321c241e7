"""Claims: what is promised, in numbers, and on what ground."""
