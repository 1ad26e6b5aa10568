"""A study of several methods on one benchmark: EX-TEST, EX-SPOTIT and EX-SPOTIT⁺ side by side."""
