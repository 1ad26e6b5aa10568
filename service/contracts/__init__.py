"""The OpenAPI and AsyncAPI contracts that other teams build against.

Change this here when a contract of ours is written in another way; `make contracts` writes `docs/contracts/`.
"""
