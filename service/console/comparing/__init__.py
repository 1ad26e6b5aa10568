"""Pages that compare: two versions of an agent, two runs of a benchmark, and two answers side by side.

Change this here when a page shows what changed between two of something.
"""
