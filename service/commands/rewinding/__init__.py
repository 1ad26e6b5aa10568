"""`sqlassay rewind`: lets workers read records again, as after a database was restored."""
