"""What a person at a terminal sees, as rich tables.

Change this here when it concerns:

- what a terminal shows: `service/commands/rendering/`
"""
