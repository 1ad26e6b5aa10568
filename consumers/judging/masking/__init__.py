"""Masks what a model is shown: words that may name somebody or something are replaced by stand-ins.

Change this here when it concerns:

- what is masked before a model sees it: `consumers/judging/masking/`: `open_words.py` and `plain_words.py` (what
  stays), `masker.py` (literals, numbers, names), `dates.py`, `masked_text.py`, `masked_sql.py`; then
  `tests/planted.py`
"""
