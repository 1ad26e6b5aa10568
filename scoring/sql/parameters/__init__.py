"""Bound parameters: finds the placeholders of a query in any driver's notation, and puts values in their place."""
