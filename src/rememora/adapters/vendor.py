"""What adapters of model vendors share: their faults become one error of ours, which quotes nothing of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rememora.domain.prompt import TOOL, TOOL_PURPOSE
from rememora.errors import ModelUnavailable, RememoraError

LOOK_UP = {"name": TOOL, "description": TOOL_PURPOSE}
NO_ARGUMENTS = {"type": "object", "properties": {}}


@contextmanager
def asking(name: str) -> Iterator[None]:
    """Whatever goes wrong inside is `ModelUnavailable`; a vendor's message may hold a key or what was said."""
    try:
        yield
    except RememoraError:
        raise
    except Exception as error:
        # SDKs raise their own errors, their transport's, and whatever a malformed answer trips over.
        status = getattr(error, "status_code", None)
        told = f" (status {status})" if isinstance(status, int) else ""
        raise ModelUnavailable(f"{name} does not answer: {type(error).__name__}{told}") from None
