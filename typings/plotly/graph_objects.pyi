from typing import Any

class Scatter:
    def __init__(self, **properties: Any) -> None: ...

class Figure:
    data: tuple[Any, ...]
    layout: Any
    def __init__(self, data: Any = ..., layout: Any = ...) -> None: ...
    def write_html(self, file: str, **options: Any) -> None: ...
