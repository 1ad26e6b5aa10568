"""Whether two queries mean the same: a database that tells them apart, or a proof that no small one does."""
