"""Missions: a team of agents on one request, held to limits it cannot talk its way past."""
