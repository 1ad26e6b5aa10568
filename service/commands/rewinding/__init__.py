"""`sqlassay rewind`: lets workers read records again, as after a database was restored.

Change this here when what is read again, or who may set offsets, changes.
"""
