"""The contracts that others build against, written as files."""
