"""What happens later, or is told to others: late effects, events and their listeners."""
