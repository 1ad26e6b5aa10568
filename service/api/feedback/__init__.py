"""What people say about answers, over HTTP."""
