"""The memory of AI agents: history, knowledge and missions under one policy."""
