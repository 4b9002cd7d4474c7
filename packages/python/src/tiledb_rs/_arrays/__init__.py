"""Arrays, groups and files: reads, writes and maintenance."""
