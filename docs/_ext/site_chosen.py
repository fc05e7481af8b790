"""Which cases of the vector files the pages show."""

from site_derived import Chosen, first_distances, pairs, rows_of_8, waves

CHOSEN: dict[str, tuple[Chosen, ...]] = {
    "attention": (
        Chosen(
            "attention-causal-mask-chunk",
            "A causal mask by positions",
            "A chunk of a prompt against a longer cache: by indices it would be another matrix.",
        ),
        Chosen(
            "attention-score-terms-w2-f32",
            "Four terms",
            "Content and position of width 2; the four tables add up to the score.",
            limit=15,
        ),
        Chosen(
            "attention-scores-w2-fixed-root-f64",
            "Scores",
            "The scale is a parameter and is not $1/\\sqrt D$ here.",
        ),
        Chosen(
            "attention-output-one-left-f32",
            "Output under a mask",
            "With one key left, the output is its value.",
            "float32",
        ),
    ),
    "positions": (
        Chosen(
            "positions-relative-prefill",
            "Queries and keys from 0",
            "The sign: keys in the past are negative.",
        ),
        Chosen(
            "positions-from-mask-roberta-1-report",
            "Position ids from a padding mask",
            "RoBERTa: the first token has row 2, pads have row 1.",
        ),
        Chosen(
            "positions-from-lengths-report",
            "Packed documents",
            "Three tokens, then two.",
        ),
        Chosen(
            "positions-shard-zigzag-0-of-2-plain",
            "A shard",
            "Rank 0 of two holds the first and the last quarter.",
        ),
        Chosen("positions-relative-decode", "One decoded token", "Its position is 7, and the row says so."),
    ),
    "sinusoidal": (
        Chosen(
            "sinusoidal-encode-d8-interleaved-dim-from-0",
            "Five rows of width 8",
            "The frequencies are exactly 1, 1/10, 1/100 and 1/1000.",
            derived=rows_of_8,
        ),
        Chosen(
            "rope-inv-freq-w128-b10000",
            "The ladder at width 128",
            "RoPE has the same ladder as `denominator: dim`.",
            limit=4,
            derived=waves,
        ),
    ),
    "rope": (
        Chosen(
            "rope-apply-w4-adjacent-b10000-report-bf16",
            "Adjacent pairs",
            "Coordinates 0 and 1 turn by 1 radian, 2 and 3 by 1/100.",
        ),
        Chosen(
            "rope-apply-w4-half-b10000-report-bf16",
            "Split halves",
            "The same vector and position; now coordinates 0 and 2 turn by 1 radian.",
        ),
        Chosen(
            "rope-permute-w6-adjacent-half-f64",
            "Re-laying pairs",
            "Coordinates 0, 2, 4, then 1, 3, 5.",
            limit=12,
        ),
        Chosen(
            "rope-rerotate-w8-half-b10000-back-f64",
            "A cache shift",
            "All keys two tokens back.",
            limit=16,
        ),
        Chosen(
            "rope-matrix-w2-adjacent-b10000-near",
            "The matrix of one pair",
            "At positions 1, 2 and 5; cosine, minus sine, sine, cosine.",
        ),
        Chosen(
            "rope-inv-freq-w8-b10000",
            "A ladder without rounding on paper",
            "1/10 is no binary number: the last column says so.",
        ),
    ),
    "alibi": (
        Chosen("alibi-slopes-h8", "Slopes of 8 heads", "Powers of two: exact in every format."),
        Chosen(
            "alibi-slopes-h12",
            "Slopes of 12 heads",
            "The last four are the geometric means that were left out.",
        ),
        Chosen(
            "alibi-bias-decode",
            "One decoded token",
            "The first two heads: the query has its own position, so the newest key is penalized least.",
            limit=24,
        ),
    ),
    "learned": (
        Chosen(
            "learned-lookup-offset-2-f32",
            "Two rows before position 0",
            "As in OPT and BART: the last token reads the last row.",
            dtype="float32",
            limit=14,
        ),
        Chosen(
            "learned-resize-corners-2-to-9-two-f32",
            "Two rows to nine, corners kept",
            "Eighths of the way from one row to the other.",
            dtype="float32",
            limit=18,
        ),
        Chosen(
            "learned-resize-centres-2-to-9-two-f32",
            "The same with centers",
            "The first and the last rows are clamped.",
            dtype="float32",
            limit=18,
        ),
    ),
    "sincos2d": (
        Chosen(
            "sincos2d-encode-d8-b10000-dim-x-first-axis-major-worked",
            "Row 1, column 2 in MAE",
            "The column comes first.",
        ),
        Chosen(
            "sincos2d-encode-d8-b10000-end-x-first-axis-major-worked",
            "The same in big_vision",
            "The last frequency is exactly 1/10000.",
        ),
        Chosen(
            "sincos2d-encode-d8-b10000-dim-y-first-component-major-worked",
            "The same in timm",
            "The same numbers as MAE's, in another order.",
        ),
    ),
    "timestep": (
        Chosen(
            "timestep-encode-d8-shift1-sin-cos-worked-bf16",
            "Step 10 in DDPM",
            "Sines first; the last frequency is 1/10000.",
        ),
        Chosen(
            "timestep-encode-d8-shift0-cos-sin-worked-bf16",
            "Step 10 in guided diffusion",
            "Cosines first; the last frequency is 1/1000.",
        ),
    ),
    "fourier": (
        Chosen(
            "fourier-encode-turns-plain-report-f32",
            "Bands 1, 2, 4 at 0.3",
            "0.3 is not a float32 number, and the values are those of the number that is.",
        ),
        Chosen(
            "fourier-encode-turns-input-octaves-bf16",
            "Whole turns drop out",
            "At multiples of a half and a quarter sines and cosines are exact.",
            limit=14,
        ),
    ),
    "rope_scaling": (
        Chosen(
            "rope-scaling-ntk-w8-b10000-s4",
            "NTK by 4",
            "The first stays 1, and the last is exactly a quarter of 1/1000.",
            output="inv_freq",
        ),
        Chosen(
            "rope-scaling-dynamic-w8-b10000-s2-l4096-n8192",
            "Dynamic NTK at twice the length",
            "At 4096 tokens and below it would be plain.",
            output="inv_freq",
        ),
        Chosen(
            "rope-scaling-yarn-w8-b10000-s4-l4096-index",
            "YaRN by 4",
            "The ramp runs from pair 1 to pair 3; the third frequency is half way.",
        ),
        Chosen(
            "rope-scaling-yarn-w8-b10000-s4-l4096-turns",
            "The paper's ramp",
            "The same parameters; the third frequency differs.",
            output="inv_freq",
        ),
        Chosen(
            "rope-scaling-llama3-w8-b10000-s8-l8192",
            "Llama 3 by 8",
            "The last pair is inside the band.",
            output="inv_freq",
        ),
        Chosen(
            "rope-scaling-longrope-w8-beyond",
            "LongRoPE, one token beyond",
            "The long list; at 4096 tokens it would be the short one.",
        ),
        Chosen(
            "rope-scaling-proportional-w8-b10000-p0.5-s1",
            "Proportional",
            "Two pairs turn, two stand still.",
            output="inv_freq",
        ),
    ),
    "mrope": (
        Chosen(
            "mrope-axis-of-channel-2-1-1-interleaved",
            "Which axis a channel reads",
            "0 is time, 1 height, 2 width.",
        ),
        Chosen("mrope-cos-sin-worked-chunked", "Time 5, height 7, width 9", "Angles 5, 0.5, 0.07 and 0.009."),
        Chosen("mrope-cos-sin-worked-interleaved", "The same, interleaved", "Angles 5, 0.7, 0.09 and 0.005."),
        Chosen("mrope-position-ids-two-max-hw", "Two images", "Each starts where the text before it ends."),
    ),
    "axial_rope": (
        Chosen(
            "axial-rope-cos-sin-4-4-b10000-reset-worked",
            "Coordinates 3 and 5",
            "A ladder for each axis: angles 3, 0.03 and 5, 0.05.",
        ),
        Chosen(
            "axial-rope-cos-sin-4-4-b10000-shared-even-odd-worked",
            "The same on one shared ladder",
            "Angles 3, 0.03 and 0.5, 0.005.",
        ),
    ),
    "xpos": (
        Chosen(
            "xpos-scale-w8-g0.4-b512-c0-near",
            "The published scales",
            "A row a position, a column a pair.",
            limit=16,
        ),
        Chosen(
            "xpos-apply-query-adjacent-b10000-w8-g0.4-b512-c0-near-f32",
            "A query",
            "Rotated and scaled.",
            limit=16,
        ),
        Chosen(
            "xpos-apply-key-adjacent-b10000-w8-g0.4-b512-c0-near-f32",
            "A key",
            "Rotated and divided by the same scales.",
            limit=16,
        ),
    ),
    "temperature": (
        Chosen(
            "temperature-scale-b0.1-f8192-plus-one-released",
            "With one added",
            "As in Llama 4: position 8191 is on the first step.",
        ),
        Chosen("temperature-scale-b0.1-f8192-plain-released", "Without", "Position 8191 is before it."),
    ),
    "shaw": (
        Chosen("shaw-index-distance-40", "Clips of 16", "Distances of 15, 16, 17 and 40 to both sides."),
        Chosen("shaw-index-square", "Clips of 2", "Every row of the table."),
        Chosen("shaw-scores-w1-bf16", "Scores at width 1", "Two products a score.", limit=15),
    ),
    "t5": (
        Chosen(
            "t5-bucket-encoder",
            "The encoder",
            "32 buckets to 128, 16 a side.",
            limit=0,
            derived=first_distances,
        ),
        Chosen(
            "t5-bucket-decoder",
            "The decoder",
            "32 buckets to 128, all on one side.",
            limit=0,
            derived=first_distances,
        ),
        Chosen(
            "t5-bias-decode-bf16",
            "One decoded token",
            "Its query is at 20, and the buckets say so.",
            dtype="bfloat16",
            limit=10,
        ),
    ),
    "deberta": (
        Chosen(
            "deberta-bucket-v3",
            "The released model around its edges",
            "128 is exact, 129 the first logarithmic one.",
            limit=0,
            derived=pairs("relative_position", "bucket"),
        ),
        Chosen(
            "deberta-bucket-v3-clamped",
            "The same, clamped",
            "Nothing beyond 255.",
            limit=0,
            derived=pairs("relative_position", "bucket"),
        ),
        Chosen("deberta-scores-w1-bf16", "Scores at width 1", "Three products a score.", limit=15),
    ),
    "transformer_xl": (
        Chosen(
            "transformer-xl-scores-memory-bf16",
            "Two queries after a memory of two",
            "Distances 2, 1, 0, -1 and 3, 2, 1, 0.",
            limit=8,
        ),
    ),
    "swin": (
        Chosen("swin-index-2-3", "A window of 2 by 3", "15 rows, the diagonal has row 7."),
        Chosen(
            "swin-log-coords-exact",
            "Coordinates that are thirds",
            "A distance of 1, 3 and 7 in units of the window.",
            limit=30,
        ),
    ),
}
