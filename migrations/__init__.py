"""The schema's history. Revisions only upgrade, under a lock that one process holds.

Change this here when `service/storage/tables/` changes: a new file in `migrations/versions/`, which only upgrades.
"""
