"""Agents, self-play training, evaluation and the command line."""
