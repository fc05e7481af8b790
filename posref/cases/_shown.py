"""Flags raised by cases that were chosen for something else.

These faults show wherever a table is long, wide or far enough, and the cases of that kind are many; a
few of them answer for each operation.
"""

from collections.abc import Mapping
from typing import Final

SHOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "angle-reduction": (
        "axial-rope-cos-sin-4-4-b10000-reset-far", "axial-rope-cos-sin-4-4-b10000-shared-even-odd-far",
        "mrope-cos-sin-far", "rope-apply-w8-half-b10000-below-powers-bf16",
        "rope-apply-w12-adjacent-b1000000-proportional-8-f32",
        "rope-apply-qk-w8-half-b10000-powers-bf16", "rope-apply-qk-w4-adjacent-b500000-linear-f32",
        "rope-cos-sin-above-powers", "rope-cos-sin-below-powers", "rope-matrix-w4-half-b10000-far",
        "sincos2d-encode-d4-b10000-dim-x-first-component-major-far",
        "sinusoidal-encode-d2-interleaved-dim-near-zeros-far",
        "sinusoidal-encode-d4-interleaved-dim-below-powers",
        "sinusoidal-shift-matrix-m65535-d8-interleaved-dim",
        "sinusoidal-shift-matrix-m9007199254740992-d4-sin-cos-dim",
    ),
    "angle-rounding": (
        "rope-apply-qk-w128-half-b160000.5-wide-bf16", "rope-apply-qk-w16-half-b500000-llama3-bf16",
        "rope-apply-vjp-w16-adjacent-b500000-llama3-bf16", "rope-apply-vjp-w2-half-b10000-turns-bf16",
        "rope-matrix-w4-half-b10000-far", "rope-matrix-w4-adjacent-b500000-powers",
        "rope-rerotate-w16-adjacent-b500000-llama3-bf16", "rope-rerotate-w2-half-b10000-turns-bf16",
    ),
    "band-fixed": (
        "rope-scaling-llama3-w32-b10000-s8-l4096-l2-h16",
    ),
    "betas-fixed": (
        "rope-scaling-yarn-w32-b10000-s8-l4096-betas",
    ),
    "bucket-number": (
        "t5-bucket-more-buckets-than-distances", "t5-bucket-matrix",
    ),
    "dynamic-rounded": (
        "rope-scaling-dynamic-w128-b10000-s4-l2048-n4096",
        "rope-scaling-dynamic-w16-b160000.5-s6-l3000-n12345",
    ),
    "embedding-scale": (
        "sinusoidal-encode-d128-sin-cos-end-wide", "sinusoidal-encode-d128-interleaved-dim-wide",
    ),
    "factor-fixed": (
        "rope-scaling-longrope-w2-pair", "rope-scaling-longrope-w64-f64-short",
        "rope-scaling-yarn-w16-b10000-s1-l4096-nothing",
        "rope-scaling-yarn-w16-b10000-s4-l64-raw-low-end",
    ),
    "fixed-base": (
        "rope-scaling-dynamic-w16-b160000.5-s6-l3000-n12345",
        "rope-scaling-dynamic-w6-b500000-s3.5-l2048-n100", "rope-scaling-llama3-w128-b500000-s8-l8192",
        "rope-scaling-llama3-w16-b500000-s8-l8192", "rope-scaling-ntk-w16-b160000.5-s3",
        "rope-scaling-ntk-w32-b500000-s1", "rope-scaling-yarn-w6-b10-s4-l300-clamped",
        "rope-scaling-yarn-w6-b500000-s3-l4096-zero",
    ),
    "frequency-rounding": (
        "axial-rope-cos-sin-24-20-20-b10000-reset-video", "axial-rope-cos-sin-32-32-b10000-reset-wide",
        "mrope-cos-sin-far", "mrope-cos-sin-one-axis", "rope-apply-w128-half-b500000-wide-bf16",
        "rope-apply-w64-half-b500000-llama3-bf16", "rope-apply-qk-w128-half-b160000.5-wide-bf16",
        "rope-apply-qk-w16-half-b500000-llama3-bf16", "rope-apply-vjp-w16-adjacent-b500000-llama3-bf16",
        "rope-apply-vjp-w64-half-b10000-head-bf16", "rope-cos-sin-above-powers",
        "rope-cos-sin-any-frequency", "rope-matrix-w4-half-b10000-far",
        "rope-matrix-w4-adjacent-b500000-powers", "rope-rerotate-w16-adjacent-b500000-llama3-bf16",
        "rope-rerotate-w64-half-b500000-window-bf16", "rope-score-w8-half-b10000-powers-bf16",
        "rope-score-w8-half-b10000-yarn-bf16", "sincos2d-encode-d64-b10000-dim-x-first-axis-major-wide",
        "sincos2d-encode-d8-b10000-dim-y-first-axis-major-powers",
        "sinusoidal-encode-d128-sin-cos-end-wide", "sinusoidal-encode-d128-interleaved-dim-wide",
        "sinusoidal-shift-matrix-m65535-d8-interleaved-dim",
        "sinusoidal-shift-matrix-p1048577-d6-sin-cos-dim", "timestep-encode-d6-shift1-cos-sin-base-bf16",
        "timestep-encode-d6-shift0-sin-cos-angles-bf16",
        "xpos-apply-key-adjacent-b10000-w64-g0.4-b512-c0-head-bf16",
        "xpos-apply-key-half-b10000-w8-g0.4-b512-c0-before-bf16",
    ),
    "half-angle": (
        "rope-apply-w128-half-b500000-wide-bf16", "rope-apply-w64-half-b500000-llama3-bf16",
        "rope-apply-qk-w128-half-b160000.5-wide-bf16", "rope-apply-qk-w16-half-b500000-llama3-bf16",
        "rope-apply-vjp-w16-adjacent-b500000-llama3-bf16", "rope-apply-vjp-w2-half-b10000-turns-bf16",
        "rope-rerotate-w16-adjacent-b500000-llama3-bf16", "rope-rerotate-w2-half-b10000-turns-bf16",
        "rope-score-w2-half-b10000-turns-bf16", "rope-score-w8-half-b10000-powers-bf16",
    ),
    "least-width": (
        "rope-apply-w4-adjacent-b10000-report-bf16", "rope-apply-w4-half-b10000-report-bf16",
        "rope-apply-qk-w16-half-b500000-llama3-bf16", "rope-apply-qk-w4-half-b10000-grouped-bf16",
        "rope-apply-vjp-w16-adjacent-b500000-llama3-bf16", "rope-apply-vjp-w4-half-b10000-part-bf16",
        "rope-rerotate-w16-adjacent-b500000-llama3-bf16", "rope-rerotate-w4-adjacent-b10000-heads-bf16",
        "rope-score-w4-adjacent-b10000-report-bf16", "rope-score-w4-half-b10000-report-bf16",
    ),
    "length-int16": (
        "rope-scaling-yarn-w64-b10000-s4-l131072-high-end",

    ),
    "max-distance": (
        "deberta-bucket-small", "deberta-bucket-matrix",
    ),
    "padded-width": (
        "rope-apply-qk-w6-half-b10000-front-bf16", "rope-apply-qk-w80-half-b10000000-wide-bf16",
        "rope-score-w6-half-b10000-front-bf16", "rope-score-w6-half-b10000-single-bf16",
    ),
    "padding-index": (
        "positions-from-mask-roberta-0-blank-row", "positions-from-mask-roberta-0-gaps",
    ),
    "partial-proportional": (
        "rope-apply-w8-half-b10000-front-bf16", "rope-apply-w8-half-b10000-yarn-bf16",
        "rope-apply-qk-w6-half-b10000-front-bf16", "rope-apply-qk-w8-half-b10000-yarn-bf16",
        "rope-score-w6-half-b10000-front-bf16", "rope-score-w8-half-b10000-yarn-part-f32",
    ),
    "position-gaps": (
        "alibi-bias-powers", "alibi-bias-negative-key-index", "attention-causal-mask-batch-heads",
        "attention-causal-mask-batch-left-padding", "learned-lookup-signed-zero-0-bf16",
        "learned-lookup-wide-bf16", "positions-relative-batch-heads", "positions-relative-batch-queries",
        "rope-apply-w128-half-b500000-wide-bf16", "rope-apply-w2-adjacent-b10000-pair-bf16",
        "rope-apply-qk-w16-half-b500000-llama3-bf16", "rope-apply-qk-w8-half-b10000-negative-bf16",
        "rope-apply-vjp-w16-adjacent-b500000-llama3-bf16", "rope-apply-vjp-w2-half-b10000-turns-bf16",
        "rope-cos-sin-factor-half", "rope-cos-sin-above-powers", "rope-matrix-w2-adjacent-b10000-near",
        "rope-matrix-w2-half-b10000-near", "rope-score-w2-half-b10000-turns-bf16",
        "rope-score-w64-half-b10000-wide-bf16", "shaw-index-no-past", "shaw-index-powers",
        "sinusoidal-encode-d128-sin-cos-end-wide", "sinusoidal-encode-d128-interleaved-dim-wide",
        "t5-bias-batch-bf16", "t5-bias-decode-bf16", "temperature-scale-b0.1-f1-plain-limit",
        "temperature-scale-b0.1-f1-plus-one-limit",
        "xpos-apply-key-half-b10000-w6-g0.4-b512-c0-part-bf16",
        "xpos-apply-key-half-b500000-w6-g1-b100-c0-other-bf16",
    ),
    "position-repeated": (
        "learned-lookup-prefill-bf16", "learned-lookup-signed-zero-0-bf16",
        "rope-apply-w128-half-b500000-wide-bf16", "rope-apply-w2-adjacent-b10000-pair-bf16",
        "rope-apply-qk-w16-half-b500000-llama3-bf16", "rope-apply-qk-w2-half-b10000-pair-bf16",
        "rope-apply-vjp-w16-adjacent-b500000-llama3-bf16", "rope-apply-vjp-w2-half-b10000-turns-bf16",
        "rope-cos-sin-factor-half", "rope-cos-sin-above-powers", "rope-matrix-w2-adjacent-b10000-near",
        "rope-matrix-w2-half-b10000-near", "sinusoidal-encode-d128-sin-cos-end-wide",
        "sinusoidal-encode-d128-interleaved-dim-wide",
    ),
    "ramp-low": (
        "rope-scaling-yarn-w16-b10000-s4-l64-raw-low-end", "rope-scaling-yarn-w2-b10000-s4-l4096-pair",
    ),
    "rank-fixed": (
        "positions-shard-contiguous-1-of-2-plain", "positions-shard-striped-1-of-2-plain",
    ),
    "resize-scale": (
        "learned-resize-centres-6-to-12-double-bf16", "learned-resize-centres-14-to-23-long-bf16",
    ),
    "share-fixed": (
        "rope-scaling-proportional-w10-b160000.5-p0.5-s8",
        "rope-scaling-proportional-w100-b10000-p0.58-s1",
    ),
    "shifted-position": (
        "rope-apply-qk-w128-half-b160000.5-wide-bf16", "rope-apply-qk-w16-half-b500000-llama3-bf16",
    ),
    "step-strength": (
        "temperature-scale-b0-f8192-plus-one-none", "temperature-scale-b0.3-f4096-plain-chunk",
    ),
    "table-end": (
        "rope-apply-w128-half-b500000-wide-bf16", "rope-apply-w64-half-b500000-llama3-bf16",
        "rope-apply-qk-w16-half-b500000-llama3-bf16", "rope-apply-qk-w8-half-b10000-powers-bf16",
        "rope-apply-vjp-w16-adjacent-b500000-llama3-bf16", "rope-apply-vjp-w2-half-b10000-turns-bf16",
        "rope-cos-sin-above-powers", "rope-cos-sin-below-powers", "rope-matrix-w4-half-b10000-far",
        "rope-matrix-w4-adjacent-b500000-powers", "rope-score-w2-half-b10000-turns-bf16",
        "rope-score-w8-half-b10000-powers-bf16", "sinusoidal-encode-d128-interleaved-dim-wide",
        "sinusoidal-encode-d2-interleaved-dim-near-zeros-far",
    ),
    "trained-length-fixed": (
        "rope-scaling-dynamic-w16-b160000.5-s6-l3000-n12345",
        "rope-scaling-dynamic-w4-b10000-s1024-l100-n101", "rope-scaling-longrope-w2-pair",
        "rope-scaling-longrope-w64-f64-short", "rope-scaling-yarn-w16-b10000-s4-l64-raw-low-end",
        "rope-scaling-yarn-w16-b10000-s6.5-l2048-turns-weight",
    ),
    "unrotated": (
        "rope-apply-w128-half-b500000-wide-bf16", "rope-apply-w2-adjacent-b10000-pair-bf16",
        "rope-apply-vjp-w16-adjacent-b500000-llama3-bf16", "rope-apply-vjp-w2-half-b10000-turns-bf16",
    ),
    "unwritten": (
        "rope-cos-sin-factor-half", "rope-cos-sin-above-powers", "rope-inv-freq-w12-b10000000",
        "rope-inv-freq-w128-b10000", "sinusoidal-inv-freq-d12-b160000.5-dim",
        "sinusoidal-inv-freq-d128-b10000-end",
    ),
    "warp-width": (
        "rope-apply-w128-half-b500000-wide-bf16", "rope-apply-w64-half-b500000-llama3-bf16",
        "rope-apply-qk-w128-half-b160000.5-wide-bf16", "rope-apply-qk-w80-half-b10000000-wide-bf16",
        "rope-apply-vjp-w64-half-b10000-head-bf16", "rope-rerotate-w64-half-b500000-window-bf16",
        "rope-rotate-w80-half-half-bf16", "rope-rotate-w96-half-half-bf16",
        "rope-score-w64-half-b10000-wide-bf16", "rope-score-w96-half-b500000-wide-bf16",
    ),
    "yarn-positions": (
        "rope-apply-w8-half-b10000-yarn-own-bf16", "rope-apply-w8-half-b10000-yarn-bf16",
    ),
}  # fmt: skip
"""Flag -> ids of cases on which every mistake of that flag shows, in every dtype that judges them."""


def besides(case_id: str) -> tuple[str, ...]:
    """Return the flags that the case raises besides its own."""
    return tuple(flag for flag, ids in SHOWN.items() if case_id in ids)
