"""The parts of the lab's page, one per module: each makes markup of a summary or of runs, and knows no other part."""
