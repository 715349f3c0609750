"""URLs as errors, logs and terminals may show them."""

from __future__ import annotations

import re

_PASSWORD = re.compile(r"(?<=://)([^/?#@:]*):[^/?#]*@")
_PASSWORD_PARAMETER = re.compile(r"(?<=[?&])(password|sslpassword)=[^&]*", re.IGNORECASE)
HIDDEN = "…"


def without_password(url: str) -> str:
    """Return the URL with its password hidden."""
    return _PASSWORD_PARAMETER.sub(rf"\1={HIDDEN}", _PASSWORD.sub(rf"\1:{HIDDEN}@", url))


def as_owner(url: str) -> str:
    """Return a URL that names the same place with the given role instead of the one that asks."""
    return re.sub(r"(?<=://)(?:[^/?#@]*@)?", "OWNER@", without_password(url), count=1)
