"""Version of the features that this program writes and reads."""

from __future__ import annotations

import zlib
from typing import Final

from rememora.language.packs import INSTALLED

_BUILTIN: Final = 3
"""To be raised with any change to the bytes of features, or to how texts are read: what is older is made anew."""
_INSTALLED: Final = 128
"""First version of those that other packages' language packs read: their languages have numbers of their own."""
VERSION: Final = _INSTALLED + zlib.crc32(",".join(INSTALLED).encode()) % 128 if INSTALLED else _BUILTIN
"""Version of the features; another set of installed language packs is another version."""
DIGEST: Final = "fdd3df61730bc02cbcd013261794528a"
"""Of the features of a sample, `tests/unit/userindex/test_version.py`: another one needs another version."""
MARK: Final = bytes([VERSION])
"""First bytes of features of this version."""
