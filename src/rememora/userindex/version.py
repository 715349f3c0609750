"""Version of the features that this program writes and reads."""

from __future__ import annotations

import zlib
from typing import Final

from rememora.language.packs import INSTALLED

_BUILTIN: Final = 2
"""Raise with any change to the format of features, or to how texts are read: older features are made again."""
_INSTALLED: Final = 128
"""First version of those that other packages' language packs read: their languages have numbers of their own."""
VERSION: Final = _INSTALLED + zlib.crc32(",".join(INSTALLED).encode()) % 128 if INSTALLED else _BUILTIN
"""Version of the features; another set of installed language packs is another version."""
DIGEST: Final = "7c62be884ccbcb4bc3b18be2f4258deb"
"""Of the features of a sample, `tests/unit/userindex/test_version.py`: another one needs another version."""
MARK: Final = bytes([VERSION])
"""First bytes of features of this version."""
