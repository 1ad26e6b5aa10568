"""Pages for people: the report, the worst answers, and one answer explained. Reading only, and no script."""
