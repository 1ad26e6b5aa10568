"""Whether two queries mean the same: a database that tells them apart, or a proof that no small one does.

Change this here when `sqlassay verify` ends in another verdict, or its search and its proof share their time
otherwise.
"""
