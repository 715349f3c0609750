"""Conversation history: record messages, fold them into summaries, cut them into episodes."""
