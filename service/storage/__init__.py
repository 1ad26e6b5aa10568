"""PostgreSQL: the tables, their partitions, and one store for each port."""
