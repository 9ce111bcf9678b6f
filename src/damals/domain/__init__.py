"""What damals means: time, entries, relations, operations. Pure; standard library only."""
