"""CUDA sources: numbers of the four floating dtypes as bits, a rotation and a bias in one pass over memory.

CuPy compiles everything with ``-ftz=true``: what is subnormal in float32 becomes zero in every instruction
on floats. So floats are read and written as integers here, and all arithmetic is in double, which has no
such mode. Products and sums are intrinsics, which no compiler fuses, so that results have the bits that
they have elsewhere.
"""

from typing import Final, NamedTuple

from posref.numerics.rounding import FORMATS

MULTIPLES: Final = {"key_index": "k", "neg_abs": "k < q ? k - q : q - k", "neg_distance": "k - q"}
"""The multiple of the slope, by `form`."""

_WORDS: Final = {8: "unsigned long long", 4: "unsigned int", 2: "unsigned short"}


class Kernel(NamedTuple):
    """A kernel of its own name: what it takes, as C++ declares it, and what it does."""

    name: str
    parameters: tuple[str, ...]
    body: str

    @property
    def text(self) -> str:
        """The function alone."""
        return f'extern "C" __global__ void {self.name}({", ".join(self.parameters)}) {{{self.body}}}\n'

    @property
    def source(self) -> str:
        """All that a compiler needs."""
        return NUMBERS + self.text


NUMBERS: Final = """
__device__ inline double posref_power(int exponent) {
    return __longlong_as_double((long long)(exponent + 1023) << 52);
}

template <int DIGITS, int LEAST, class Bits> struct PosrefFloat {
    static const int FIELD = 8 * sizeof(Bits) - 1;  // the bits beside the sign
    static const int CUT = 53 - DIGITS;
    static const unsigned long long INFINITE = ((1ull << (FIELD - DIGITS + 1)) - 1) << (DIGITS - 1);
    static const unsigned long long BIAS = (unsigned long long)(1022 + LEAST) << 52;

    static __device__ inline bool infinite(Bits bits) {
        return ((unsigned long long)bits & ((1ull << FIELD) - 1)) >= INFINITE;
    }

    static __device__ inline double wide(Bits bits) {
        unsigned long long all = bits, size = all & ((1ull << FIELD) - 1), found;
        if (infinite(bits)) {
            found = size == INFINITE ? 0x7ff0000000000000ull : 0x7ff8000000000000ull;
        } else if (size >> (DIGITS - 1)) {
            found = (size << CUT) + BIAS;
        } else {
            found = __double_as_longlong(__dmul_rn((double)(int)size, posref_power(LEAST - DIGITS + 1)));
        }
        return __longlong_as_double(found | (all >> FIELD) << 63);
    }

    static __device__ inline Bits narrow(double value, int* bad) {
        unsigned long long all = __double_as_longlong(value), size = all & 0x7fffffffffffffffull, found;
        if (size >= BIAS + (1ull << 52)) {
            unsigned long long rest = size << (64 - CUT), half = 1ull << 63;
            found = (size - BIAS) >> CUT;
            found += rest > half || (rest == half && (found & 1));
        } else {
            found = __double2ll_rn(__dmul_rn(__longlong_as_double(size), posref_power(DIGITS - 1 - LEAST)));
        }
        if (found >= INFINITE) {
            *bad = 1;
            found = INFINITE;
        }
        return (Bits)(found | (all >> 63) << FIELD);
    }
};

template <> struct PosrefFloat<53, -1022, unsigned long long> {
    static __device__ inline bool infinite(unsigned long long bits) {
        return (bits & 0x7fffffffffffffffull) >= 0x7ff0000000000000ull;
    }
    static __device__ inline double wide(unsigned long long bits) { return __longlong_as_double(bits); }
    static __device__ inline unsigned long long narrow(double value, int* bad) {
        unsigned long long bits = __double_as_longlong(value);
        if (infinite(bits)) *bad = 1;
        return bits;
    }
};

template <class Bits> struct __align__(2 * sizeof(Bits)) PosrefPair { Bits first, second; };
"""
"""Exact widening, and one rounding to nearest with ties to even; `bad` is set where a result overflows."""

_SPREAD: Final = """
    long long n = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += n) {{
        {statement}
    }}
"""

_ROTATION: Final = """
    typedef {words} Bits;
    typedef {floating} Float;
    long long slots = width - half;  // the pairs, then the coordinates that are only moved
    long long item = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= tokens * slots) return;
    long long token = item / slots, slot = item % slots;
    for (long long part = blockIdx.y; part < parts; part += gridDim.y) {{
        long long outer = part / chunks, head = part % chunks * chunk;
        long long last = head + chunk < heads ? head + chunk : heads;
        Bits* to = y + ((outer * heads + head) * tokens + token) * width;
        const Bits* from = x + token * x_token + head * x_head;
        long long row = token * c_token + head * c_head + slot * c_last;
        {outer}
        if (slot < half) {{
            double c = cosines[row], s = sines[row];
            for (; head < last; ++head) {{
                Bits first, second;
                {read}
                double u = Float::wide(first), w = Float::wide(second);
                first = Float::narrow(__dadd_rn(__dsub_rn(__dmul_rn(u, c), __dmul_rn(w, s)), 0.0), bad);
                second = Float::narrow(__dadd_rn(__dadd_rn(__dmul_rn(u, s), __dmul_rn(w, c)), 0.0), bad);
                {write}
                from += x_head;
                to += tokens * width;
                row += c_head;
                if (c_head && head + 1 < last) c = cosines[row], s = sines[row];
            }}
        }} else {{
            long long place = slot - half < start ? slot - half : slot + half;
            for (; head < last; ++head, from += x_head, to += tokens * width) {{
                Bits moved = from[place * x_last];
                if (Float::infinite(moved)) *bad = 1;
                to[place] = moved;
            }}
        }}
    }}
"""

_READ: Final = {
    "adjacent": "first = from[(start + 2 * slot) * x_last]; second = from[(start + 2 * slot + 1) * x_last];",
    "half": "first = from[(start + slot) * x_last]; second = from[(start + slot + half) * x_last];",
    "paired": "PosrefPair<Bits> pair = *(const PosrefPair<Bits>*)(from + start + 2 * slot);"
    " first = pair.first; second = pair.second;",
}
_WRITE: Final = {
    "adjacent": "to[start + 2 * slot] = first; to[start + 2 * slot + 1] = second;",
    "half": "to[start + slot] = first; to[start + slot + half] = second;",
    "paired": "PosrefPair<Bits> made = {first, second}; *(PosrefPair<Bits>*)(to + start + 2 * slot) = made;",
}

_BIAS: Final = """
    typedef {words} Bits;
    typedef {floating} Float;
    for (long long line = blockIdx.x; line < lines; line += gridDim.x) {{
        long long query = line % queries;
        const long long *keys_at = key_positions, *query_at = query_positions + query * q_last;
        {outer}
        double slope = slopes[line / queries % heads * m_last];
        long long q = *query_at, n = (long long)gridDim.y * blockDim.x;
        for (long long key = (long long)blockIdx.y * blockDim.x + threadIdx.x; key < keys; key += n) {{
            long long k = keys_at[key * k_last];
            bool masked = {masks} && k > q;
            double value = __dadd_rn(__dmul_rn((double)({multiple}), slope), 0.0);
            y[line * keys + key] = masked ? {infinity} : Float::narrow(value, bad);
        }}
    }}
"""


def words(dtype: str) -> str:
    """Return the C++ type of the bits of a dtype."""
    return _WORDS[FORMATS[dtype].bits().itemsize]


def _floating(dtype: str) -> str:
    return f"PosrefFloat<{FORMATS[dtype].digits}, {FORMATS[dtype].least}, {words(dtype)}>"


def _negative_infinity(dtype: str) -> str:
    top = 8 * FORMATS[dtype].bits().itemsize - 1
    return f"({words(dtype)}){(1 << top) + FORMATS[dtype].infinity:#x}ull"


def wide(dtype: str) -> Kernel:
    """Return the kernel that widens numbers of `dtype`."""
    parameters = (f"const {words(dtype)}* x", "double* y", "long long count")
    statement = f"y[i] = {_floating(dtype)}::wide(x[i]);"
    return Kernel(f"posref_wide_{dtype}", parameters, _SPREAD.format(statement=statement))


def narrow(dtype: str, masked: bool) -> Kernel:
    """Return the kernel that rounds doubles to `dtype`, -infinity where a mask says so."""
    statement = f"y[i] = {_floating(dtype)}::narrow(x[i], bad);"
    parameters = ["const double* x", f"{words(dtype)}* y", "int* bad", "long long count"]
    if masked:
        statement = f"if (mask[i]) y[i] = {_negative_infinity(dtype)}; else {statement}"
        parameters.insert(1, "const bool* mask")
    name = f"posref_narrow_{dtype}{'_masked' if masked else ''}"
    return Kernel(name, tuple(parameters), _SPREAD.format(statement=statement))


def _outer(rank: int, moved: dict[str, str], index: str) -> str:
    """Return the steps to the place of an outer index, last axis first; `moved`: places and their strides."""
    lines = [f"long long rest = {index};"] if rank else []
    for axis in reversed(range(rank)):
        lines += [f"{name} += rest % size_{axis} * {stride}_{axis};" for name, stride in moved.items()]
        lines.append(f"rest /= size_{axis};")
    return " ".join(lines)


def _axes(rank: int, strides: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        f"long long {name}_{axis}" for axis in range(rank) for name in ("size", *strides)
    )  # in the order of `cuda.Axis`


def rotation(dtype: str, read: str, write: str, rank: int) -> Kernel:
    """Return the kernel that turns pairs.

    Parameters
    ----------
    dtype : str
        Of the tensor; tables are doubles.
    read, write : {"adjacent", "half", "paired"}
        Where a pair is read and written; "paired" is "adjacent" by one access that needs alignment.
    rank : int
        Leading axes outside the one that shares rows of the table, after `cuda.collapse`.
    """
    parameters = (
        f"const {words(dtype)}* __restrict__ x",
        "const double* __restrict__ cosines",
        "const double* __restrict__ sines",
        f"{words(dtype)}* __restrict__ y",
        "int* bad",
        *(f"long long {name}" for name in ("width", "start", "half", "tokens", "heads")),
        *(f"long long {name}" for name in ("parts", "chunks", "chunk")),
        *(f"long long {name}" for name in ("x_head", "x_token", "x_last", "c_head", "c_token", "c_last")),
        *_axes(rank, ("x", "c")),
    )
    body = _ROTATION.format(
        words=words(dtype),
        floating=_floating(dtype),
        read=_READ[read],
        write=_WRITE[write],
        outer=_outer(rank, {"from": "x", "row": "c"}, "outer"),
    )
    return Kernel(f"posref_rotation_{dtype}_{read}_{write}_{rank}", parameters, body)


def bias(dtype: str, form: str, future: str, rank: int) -> Kernel:
    """Return the kernel that makes the bias of ALiBi; `rank` leading axes after `cuda.collapse`."""
    parameters = (
        "const long long* __restrict__ query_positions",
        "const long long* __restrict__ key_positions",
        "const double* __restrict__ slopes",
        f"{words(dtype)}* __restrict__ y",
        "int* bad",
        *(f"long long {name}" for name in ("lines", "heads", "queries", "keys")),
        *(f"long long {name}" for name in ("q_last", "k_last", "m_last")),
        *_axes(rank, ("q", "k")),
    )
    body = _BIAS.format(
        words=words(dtype),
        floating=_floating(dtype),
        multiple=MULTIPLES[form],
        masks=str(future == "neg_inf").lower(),
        infinity=_negative_infinity(dtype),
        outer=_outer(rank, {"query_at": "q", "keys_at": "k"}, "line / (heads * queries)"),
    )
    return Kernel(f"posref_bias_{dtype}_{form}_{future}_{rank}", parameters, body)
