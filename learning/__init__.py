"""Turns labels into calibration: the weights by which the local judge reads its signals."""
