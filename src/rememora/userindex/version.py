"""Version of the features that this program writes and reads."""

from __future__ import annotations

from typing import Final

VERSION: Final = 2
"""To be raised with any change to the bytes of features, or to how texts are read: what is older is made anew."""
DIGEST: Final = "7c62be884ccbcb4bc3b18be2f4258deb"
"""Of the features of a sample, `tests/unit/userindex/test_version.py`: another one needs another version."""
MARK: Final = bytes([VERSION])
"""First bytes of features of this version."""
