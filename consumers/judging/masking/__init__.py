"""Masks what a model is shown: words that may name somebody or something are replaced by stand-ins."""
