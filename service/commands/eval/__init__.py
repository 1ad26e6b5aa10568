"""The commands that measure a judge against labels."""
