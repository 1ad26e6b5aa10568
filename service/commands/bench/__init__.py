"""The commands that measure the speed of this machine.

Change this here when a measurement of speed or its rig changes; then `docs/commands.md`.
"""
