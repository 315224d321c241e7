"""The trusted part: all that happens to d, small enough to read in an hour. No solver, no model."""
