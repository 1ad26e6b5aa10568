"""Files of answers: reads and writes JSONL, CSV and Parquet, as the name's suffix says."""
