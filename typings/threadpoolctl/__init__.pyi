from contextlib import AbstractContextManager
from typing import Any

class ThreadpoolController:
    def limit(self, *, limits: int, user_api: str) -> AbstractContextManager[Any]: ...
