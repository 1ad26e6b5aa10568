"""What became of one event: its evaluation, its outcome, its deferral and its stage timings."""
