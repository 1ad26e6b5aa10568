"""Signals about times: of another event, compared otherwise, cut, or counted as ages."""
