"""Tries conditions on typical rows: values that no literal of the condition names."""
