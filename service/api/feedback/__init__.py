"""What people say about answers, over HTTP.

Change this here when a route, a field or an error of `/v1/feedback` changes.
"""
