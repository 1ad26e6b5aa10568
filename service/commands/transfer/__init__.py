"""`sqlassay export` and `import`: stored scores to files, and scores that were made elsewhere back.

Change this here when a column, a format or a range of these files changes.
"""
