"""Reads what an expert sees in SQL at a glance: joins that repeat rows, frames of windows, subqueries of no row."""
