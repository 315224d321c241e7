"""Claims: what is promised, in numbers, and why."""
