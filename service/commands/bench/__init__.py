"""The commands that measure the speed of this machine."""
