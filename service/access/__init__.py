"""Who may: tokens in force, sessions of the console, OpenID Connect, and proxies that log people in."""
