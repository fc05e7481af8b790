"""Cases of the operations in `spec/schemes/alibi.md`."""

from posref.cases._alibi_bias import bias
from posref.cases._alibi_slopes import slopes

__all__ = ["bias", "slopes"]
