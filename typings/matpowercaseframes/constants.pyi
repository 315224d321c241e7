COLUMNS: dict[str, list[str]]
