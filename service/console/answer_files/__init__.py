"""The answers of a list as files to take away: CSV, JSONL and Parquet.

Change this here when such a file has another column or format.
"""
