from contextlib import AbstractContextManager
from typing import Any

def threadpool_limits(limits: int) -> AbstractContextManager[Any]: ...
