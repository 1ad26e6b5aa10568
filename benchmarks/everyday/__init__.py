"""A public benchmark of judges without references on everyday business questions; `docs/everyday.md` is its page."""
