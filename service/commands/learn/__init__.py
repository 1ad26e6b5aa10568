"""`sqlassay learn`: what labels teach, as weights of the judge and as calibrations of tenants."""
