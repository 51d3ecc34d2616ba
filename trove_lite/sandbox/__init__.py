"""Runs programs that nobody has read: `pool.Sandbox` confines them by the kernel, and says of each
how it ended."""
