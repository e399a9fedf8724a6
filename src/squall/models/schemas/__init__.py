"""Values made from JSON Schemas: `maker` goes through a schema, the others make one kind of value each."""
