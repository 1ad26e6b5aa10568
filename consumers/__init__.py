"""Handles: one event in, one counted outcome out. Knows scoring and ports, never an adapter."""
