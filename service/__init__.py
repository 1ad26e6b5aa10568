"""Wires: settings, adapters, HTTP, metrics, health and commands. Nothing imports it."""
