"""Takes runs of benchmarks, which the console compares.

Change this here when a route, a field or an error of `/v1/tenants/{tenant}/eval-runs` changes.
"""
