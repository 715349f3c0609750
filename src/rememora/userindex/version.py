"""Version of the features that this program writes and reads."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rememora.language.packs import INSTALLED

_BUILTIN: Final = 3
"""To be raised with any change to the bytes of features, or to how texts are read: what is older is made anew."""
_INSTALLED: Final = 128
"""First version of those that other packages' language packs read: their languages have numbers of their own."""


def version_with(packs: Mapping[str, Path]) -> int:
    """Return the version with these packs of other packages: other codes, or other words in them, are another."""
    if not packs:
        return _BUILTIN
    sum_of_all = zlib.crc32(",".join(packs).encode())
    for folder in packs.values():
        for path in sorted(folder.glob("*.toml")):
            sum_of_all = zlib.crc32(path.read_bytes(), zlib.crc32(path.name.encode(), sum_of_all))
    return _INSTALLED + sum_of_all % (256 - _INSTALLED)


VERSION: Final = version_with(INSTALLED)
DIGEST: Final = "fdd3df61730bc02cbcd013261794528a"
"""Of the features of a sample, `tests/unit/userindex/test_version.py`: another one needs another version."""
MARK: Final = bytes([VERSION])
"""First bytes of features of this version."""
