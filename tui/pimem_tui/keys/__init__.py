"""Keys: the table of them, bindings, palette, pastes, keys typed ahead."""
