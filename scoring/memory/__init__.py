"""What the tenant's earlier answers say about one answer: how others answered the question, and how tables are joined.

Pure, like the rest of the room: `recall` gives a small `MemoryContext`, and `weigh_context` takes a judge's reply and
that context to a reply. The same two always give the same result, so a stored score can be reproduced.
"""
