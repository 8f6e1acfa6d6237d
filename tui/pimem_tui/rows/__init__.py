"""What the list shows, as plain values: rows, filter, order, ages. No widget, no screen."""
