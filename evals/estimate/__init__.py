"""Estimates which share of an agent's answers is right, with an interval, from labels of some and scores of all."""
