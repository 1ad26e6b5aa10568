"""A model reads a data dictionary, and its reply is checked against the tables that the DDL declares.

Change this here when what a model is asked about a dictionary, or what is taken of its reply, changes; then
`service/prompts/dictionary-1.md` and the section on `rules read` in `docs/commands.md`.
"""
