"""Texts of the pages as tests look for them."""

from __future__ import annotations

from rememora.dashboard.words import Language, text

MARKUP = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
"""What runs where somebody forgot to escape."""

__all__ = ["MARKUP", "Language", "text"]
