"""What a field may hold: types of values, alone and within others, and their text form."""
