"""Changes as whole steps: transaction, recovery, journal, undo, drafts. It knows no system."""
