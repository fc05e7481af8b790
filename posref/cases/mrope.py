"""Cases of the operations in `spec/schemes/mrope.md`."""

from posref.cases._mrope_ids import position_ids
from posref.cases._mrope_tables import axis_of_channel, cos_sin

__all__ = ["axis_of_channel", "cos_sin", "position_ids"]
