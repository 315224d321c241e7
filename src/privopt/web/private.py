"""The curator's page and its answers."""

from __future__ import annotations
from privopt.web.routing import application, page, static

__all__ = ["Curator", "curator_app"]


class Curator:
    def __init__(self, folder, tree, job):
        self.folder = folder
        self.tree = tree
        self.job = job


def curator_app(curator):
    from starlette.routing import Route

    return application([Route("/", page("private.html")), static()])
