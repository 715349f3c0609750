"""Pages for people: home, what is remembered about a person, and the chat, over the same handles as the API."""
