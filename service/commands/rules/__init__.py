"""`sqlassay rules` and `sqlassay schema`: what a tenant says about its questions and its database."""
