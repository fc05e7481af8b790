r"""Frequencies beyond the trained length, and frequencies of a published configuration.

A model sees angles up to :math:`L\,\omega_i` in training. Every scaling keeps the angles of a longer
context near that range; they differ in which frequencies they slow down.

Axis letters: ``R`` rotated width, ``D`` head width, ``h`` pairs. Normative text:
``spec/schemes/rope_scaling.md``.
"""

from posref.reference._resolve import Resolved, resolve
from posref.reference._scaling_bands import llama3, longrope, yarn
from posref.reference._scaling_bases import dynamic, linear, ntk, proportional
from posref.reference._scaling_common import Scaled

__all__ = [
    "Resolved",
    "Scaled",
    "dynamic",
    "linear",
    "llama3",
    "longrope",
    "ntk",
    "proportional",
    "resolve",
    "yarn",
]
