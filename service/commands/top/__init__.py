"""`sqlassay top`: what an installation does now, for whoever is on call.

Change this here when the screen shows another figure, or takes one from elsewhere.
"""
