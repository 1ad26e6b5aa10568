"""The commands that measure a judge."""
