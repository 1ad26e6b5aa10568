"""Reads what an expert sees in SQL at a glance: joins that repeat rows, frames of windows, subqueries of no row.

Change this here when something that an expert sees in the text of SQL alone is missing.
"""
