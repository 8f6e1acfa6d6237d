"""The screens of the manager, one module each."""
