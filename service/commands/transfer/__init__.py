"""`sqlassay export` and `import`: stored scores to files, and scores that were made elsewhere back."""
