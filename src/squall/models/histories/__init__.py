"""The rules of a conversation, one file for each endpoint that has one."""
