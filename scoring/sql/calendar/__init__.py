"""Reads dates: in any spelling, in any part, relative to now, and as the range that a comparison keeps."""
