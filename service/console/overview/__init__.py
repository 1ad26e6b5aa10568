"""What the pages about agents show: how each fares, since when, and what is found in its answers.

Change this here when a page about agents shows something else; then `docs/console.md`.
"""
