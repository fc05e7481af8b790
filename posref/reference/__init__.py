"""The executable reference: one module a scheme, reads like the equation."""
