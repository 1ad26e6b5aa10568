"""Answers compared with their gold SQL by a configured model."""
