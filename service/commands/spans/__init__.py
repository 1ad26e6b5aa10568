"""The commands about OpenTelemetry spans.

Change this here when `sqlassay spans` explains a trace in another way; then `docs/commands.md`.
"""
