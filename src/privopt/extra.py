"""Libraries that only some users need, imported when something asks for them."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from privopt.errors import InputError

__all__ = ["how_to_install", "library", "require"]


def library(name: str, extra: str | None = None, package: str | None = None) -> Any:  # noqa: ANN401
    """The module of that name; package and extra that bring it have the same name unless given."""
    try:
        return importlib.import_module(name)
    except ImportError:
        top = package or name.partition(".")[0]
        raise InputError(
            f"{top} is not installed.", f"{top}.", f"run: {how_to_install(extra or top)}"
        ) from None


def require(package: str, extra: str, what: str = "this") -> None:
    """Refuse what would need a package that is not installed; it is not imported yet."""
    if importlib.util.find_spec(package) is None:
        raise InputError(
            f"{what} takes the package {package}, which is not installed.",
            f"the extra `{extra}`.",
            f"run: {how_to_install(extra)}",
        )


def how_to_install(extra: str) -> str:
    """The command that adds an extra: from the source, because privopt is on no index."""
    folder = _source()
    if folder is None:
        return f"pip install '.[{extra}]' in the folder of privopt's source"
    return f"pip install {shlex.quote(f'{folder}[{extra}]')}"


def _source() -> Path | None:
    """The folder that privopt was installed from, where that is known and still there."""
    try:
        text = importlib.metadata.distribution("privopt").read_text("direct_url.json")
        url: Any = json.loads(text or "{}").get("url")
    except (importlib.metadata.PackageNotFoundError, ValueError, AttributeError):
        return None
    folder = Path(unquote(urlparse(str(url)).path))
    local = str(url).startswith("file:") and (folder / "pyproject.toml").is_file()
    return folder if local else None
