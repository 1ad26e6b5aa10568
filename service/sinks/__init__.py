"""Sends stored scores to the places where people already look: one writer, and a module for each backend."""
