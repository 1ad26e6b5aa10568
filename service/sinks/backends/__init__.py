"""One module for each backend: how its requests look."""
