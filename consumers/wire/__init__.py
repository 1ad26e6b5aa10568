"""The wire contract: events, envelopes and rules as they arrive, validated."""
