"""The commands that measure agents and judges against labels."""
