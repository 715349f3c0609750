"""The scoped handles that `Rememora` returns: nouns with one verb per use case, each one flow function."""
