"""Whether an answer gives what its reference gives, by running both."""
