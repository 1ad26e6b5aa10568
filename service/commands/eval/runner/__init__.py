"""`sqlassay eval run`, `eval compare` and `eval leaderboard`: an agent over a benchmark."""
