"""Angles in float32 against exact ones, at a few positions."""

import numpy as np

import posref

POSITIONS = (4095, 131071, 1048575, 10485759)


def pages() -> dict[str, str]:
    """Return the table of angle errors of pair 1 at width 128 as a page to include."""
    exact = posref.rope.inv_freq(rotary_dim=128, base=10000.0)[1]
    stored = np.float32(exact)
    rows = [
        "Pair 1, width 128, base 10000, a correctly rounded float32 frequency and one float32 product:",
        "",
        "| position | angle, radians | float32 angle is off by | cosine | cosine of the float32 angle |",
        "|---|---|---|---|---|",
    ]
    for position in POSITIONS:
        angle, rounded = float(position * exact), float(np.float32(position) * stored)
        cosines = f"{np.cos(angle):.6f} | {np.cos(rounded):.6f}"
        rows.append(f"| {position} | {angle:.6f} | {abs(rounded - angle):.2g} | {cosines} |")
    return {"precision-angles.md": "\n".join(rows) + "\n"}
