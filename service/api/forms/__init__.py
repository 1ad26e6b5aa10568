"""Reads the forms that pages of the console send.

Change this here when a form's size, encoding or proof of its origin changes; then `docs/console.md`.
"""
