"""Codes that stand for what a question names: of countries, and of the house.

Change this here when a code is known as the name of something that it is not known for yet.
"""
