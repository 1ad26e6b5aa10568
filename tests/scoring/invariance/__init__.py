"""How far rewrites that keep the meaning of an answer move its score."""
