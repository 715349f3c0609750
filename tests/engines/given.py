"""What whoever runs the tests gives them: the URL of a server to use, the version of one to start.

Taken out of the environment under the names of the product, whose settings refuse names they do not know, and kept
under another for the processes that the run itself starts.
"""

from __future__ import annotations

import os


def given(name: str) -> str:
    """What was given under a name, or nothing."""
    value = os.environ.pop(f"REMEMORA_TEST_{name}", "") or os.environ.get(f"TESTS_OF_REMEMORA_{name}", "")
    if value:
        os.environ[f"TESTS_OF_REMEMORA_{name}"] = value
    return value
