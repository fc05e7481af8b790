"""The corpus in the form that a program reads where nothing can be started (wire-protocol.C14 to C18)."""
