"""What the page of one answer shows: its texts with the words and the SQL that belong together, and its arithmetic.

Change this here when the page of one answer shows something else; then `docs/console.md`.
"""
