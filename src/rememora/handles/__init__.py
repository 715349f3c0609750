"""The scoped handles that `Rememora` gives out: one verb per use case, each one flow function."""
