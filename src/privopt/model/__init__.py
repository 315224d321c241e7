"""The model: program, query, domain, objective."""
