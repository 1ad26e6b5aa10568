"""All that SQLAssay replaces, calls or reads inside aiokafka. No other module imports more than its public names.

Change this here when aiokafka has a new version, or when Kafka returns what aiokafka cannot read. `adapter.py` lists
the inner names and the version that they were read in. `docs/adr/0064-what-should-be-aiokafkas.md` has the patches that
would make this room smaller.
"""
