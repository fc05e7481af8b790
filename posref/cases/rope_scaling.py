"""Cases and hard cases of the operations in `spec/schemes/rope_scaling.md`."""

from posref.cases._hard_scaling import SCALING as HARD
from posref.cases._resolve import resolve
from posref.cases._scaling_bands import llama3, longrope
from posref.cases._scaling_bases import dynamic, linear, ntk, proportional
from posref.cases._scaling_yarn import yarn

__all__ = ["HARD", "dynamic", "linear", "llama3", "longrope", "ntk", "proportional", "resolve", "yarn"]
