"""The commands about OpenTelemetry spans."""
