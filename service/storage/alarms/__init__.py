"""The agents' alarms in PostgreSQL."""
