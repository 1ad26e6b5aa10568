"""The schema's history: each revision goes forward only, under a lock that one process holds."""
