"""Where an agent loses most: its answers by table, column, condition, question and version, with tests for many.

Change this here when slices are counted, compared or tested in another way; their groups:
`service/storage/scores/slice_parts.py`.
"""
