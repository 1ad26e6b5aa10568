"""Pages that compare: two versions of an agent, two runs of a benchmark, and two answers side by side."""
