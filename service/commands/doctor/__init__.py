"""`sqlassay doctor`: what is wrong with an installation, and how to correct it."""
