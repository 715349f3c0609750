"""Pages for people: the API reference and the front page, without scripts or styles from other servers."""
