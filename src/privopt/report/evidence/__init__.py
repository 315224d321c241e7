"""Evidence: one folder in which others can check what was released, and how private it is."""
