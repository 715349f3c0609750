"""The scoped handles that `Rememora` gives out: nouns with one verb per use case, each one flow function."""
