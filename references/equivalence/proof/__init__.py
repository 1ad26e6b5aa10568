"""Proves that two queries agree on all databases with a few rows per table, by running both on unknown rows.

Change this here when it concerns:

- what `verify` can prove: `references/equivalence/proof/`; unsupported constructs raise `Unprovable` with the reason;
  then `tests/references/test_proof.py`, the grammar of `tests/references/test_random_pairs.py`
"""
