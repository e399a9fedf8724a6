"""What a service does when it is called: operations of each kind, their arguments, handlers, tokens and keys."""
