"""The nouns: frozen, pure, and known to every layer."""
