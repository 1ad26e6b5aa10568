"""The answers of a list as files to take away: CSV, JSONL and Parquet."""
