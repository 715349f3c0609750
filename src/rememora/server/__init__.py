"""The REST API under `/api/v1`, from a table of routes over the verbs of `app`."""

from __future__ import annotations

from rememora.server.app import create_app

__all__ = ["create_app"]
