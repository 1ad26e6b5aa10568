"""`sqlassay mcp`: scoring as tools of the Model Context Protocol.

Change this here when it concerns:

- a tool of `sqlassay mcp`, or what a model is told of it: `service/commands/mcp/`: `tools.py` (names, parameters and
  texts), `answers.py` (what runs in a process); then `docs/commands.md`
"""
