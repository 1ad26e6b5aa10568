"""Mines a tenant's habits from answers, without a model: proposals for the tenant's rules."""
