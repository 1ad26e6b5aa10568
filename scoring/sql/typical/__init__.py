"""Tries conditions on typical rows: values that no literal of the condition names.

Change this here when a condition that keeps no row, or every row, is not found by trying it.
"""
