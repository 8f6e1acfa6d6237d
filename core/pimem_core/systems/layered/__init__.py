"""The system of layered memory: a global and a workspace folder, and an inbox to review."""
