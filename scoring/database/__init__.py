"""What is known of the tenant's database, where the deployment says it: how the answer ran there, and its schema."""
