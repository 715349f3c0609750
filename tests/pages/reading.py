"""Texts of the pages as tests look for them."""

from __future__ import annotations

from rememora.dashboard.words import Language, text

LANGUAGES: tuple[Language, ...] = ("pt", "en")
MARKUP = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
"""What runs where somebody forgot to escape."""

__all__ = ["LANGUAGES", "MARKUP", "Language", "text"]
