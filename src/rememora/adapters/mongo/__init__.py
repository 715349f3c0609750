"""MongoDB as the engine of missions (extra `mongo`): documents, how they change, and the store over them."""
