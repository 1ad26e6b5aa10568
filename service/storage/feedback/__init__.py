"""What people say about answers, in PostgreSQL.

Change this here when what is kept of feedback, or how it finds its event, changes.
"""
