"""The wire contract: validates events, envelopes and rules as they arrive."""
