"""What people say about answers, in PostgreSQL."""
