"""Work on texts that may be costly to read, in processes that can be ended: scoring, references, rules.

Change this here when work that may be costly runs in, or is ended by, another process; then `docs/stream.md`.
"""
