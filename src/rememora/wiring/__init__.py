"""The composition root: `opening` makes engines and parts, `parts` is what verbs get, `background` runs beside."""
