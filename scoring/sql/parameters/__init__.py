"""Bound parameters: finds the placeholders of a query in any driver's notation, and puts values in their place.

Change this here when a driver writes its placeholders in a way that is not found.
"""
