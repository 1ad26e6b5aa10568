"""`sqlassay canary`: asks a live agent questions with known answers, on a schedule."""
