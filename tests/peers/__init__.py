"""Runs other evaluators beside ours on the same answers: `make peers`."""
