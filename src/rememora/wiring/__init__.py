"""The composition root: `opening` opens engines, verbs get `parts`, and `background` has the worker's steps."""
