"""The scoped handles that `Rememora` gives out, where they are more than a page."""
