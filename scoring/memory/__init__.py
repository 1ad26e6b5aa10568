"""What the tenant's earlier answers say about one answer: how others answered the question, and how tables are joined.

Pure, like the rest of the room: `recall` gives a small `MemoryContext`, and `weigh_context` takes a judge's reply and
that context to a reply. The same two always give the same result, so a stored score can be reproduced.

Change this here when it concerns:

- what memory compares, or how much it may move: `scoring/memory/facts.py` and `asked.py` (what is the same),
  `agreement.py` and `catalogue.py` (log-odds), `remembered.py` and `copies.py` (whose voice counts); then
  `tests/scoring/test_memory.py`, `docs/trust.md`
"""
