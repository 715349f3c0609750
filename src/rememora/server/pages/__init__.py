"""Pages for people: the API reference and the front door, without a script or a style from elsewhere."""
