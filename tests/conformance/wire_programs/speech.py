"""Both wires as a program in Python would speak them, written from spec/wire-protocol.md alone."""

import json
import sys

import ml_dtypes
import numpy as np

FLOATS = {"float64": np.float64, "float32": np.float32, "bfloat16": ml_dtypes.bfloat16, "float16": np.float16}
DIGITS = {"float64": 16, "float32": 8, "bfloat16": 4, "float16": 4}


def from_bits(digits, dtype, shape):
    raw = np.frombuffer(bytes.fromhex(digits), f">u{DIGITS[dtype] // 2}")
    return raw.astype(f"=u{DIGITS[dtype] // 2}").view(FLOATS[dtype]).reshape(shape)


def to_bits(array):
    size = array.dtype.itemsize
    return np.ascontiguousarray(array).view(f"=u{size}").astype(f">u{size}").tobytes().hex()


def rows_of(array):
    """Yield the rows of an array: strings of digits, or lists of integers."""
    if array.size:
        for row in array.reshape(-1, array.shape[-1] if array.ndim else 1):
            yield to_bits(row) if array.dtype.name in FLOATS else [int(one) for one in row]


class Wire:
    log = None

    def __init__(self, source, sink):
        self.source, self.sink = source, sink

    def line(self):
        line = self.source.readline().decode("ascii")
        if not line:
            sys.exit(3)
        if self.log:
            self.log.write(f"> {line}")
        return line.removesuffix("\n")

    def write(self, text):
        if self.log:
            self.log.write("".join(f"< {line}\n" for line in text.splitlines()))
            self.log.flush()
        self.sink.write(text.encode("ascii"))
        self.sink.flush()


class JsonWire(Wire):
    def receive(self):
        request = json.loads(self.line())
        if "inputs" in request:
            request["inputs"] = {name: self.tensor(one) for name, one in request["inputs"].items()}
        if "params" in request:
            request["params"] = {name: self.value(one) for name, one in request["params"].items()}
        return request

    def tensor(self, one):
        if one["dtype"] in FLOATS:
            return from_bits("".join(one["data"]), one["dtype"], one["shape"])
        kind = bool if one["dtype"] == "bool" else np.int64
        return np.array([entry for row in one["data"] for entry in row], kind).reshape(one["shape"])

    def value(self, one):
        if isinstance(one, dict):
            if set(one) == {"float64", "decimal"}:
                return float(from_bits(one["float64"], "float64", ()))
            return {name: self.value(entry) for name, entry in one.items()}
        return [self.value(entry) for entry in one] if isinstance(one, list) else one

    def record(self, reply, request):
        if "facts" in reply:
            return {"seq": request["seq"], **reply["facts"]}
        if "outputs" not in reply:
            return {"seq": request["seq"], **reply}
        outputs = {
            name: {"dtype": one.dtype.name, "shape": list(one.shape), "data": list(rows_of(one))}
            for name, one in reply["outputs"].items()
        }
        return {"seq": request["seq"], "outputs": outputs}

    def send(self, reply, request):
        self.write(json.dumps(self.record(reply, request)) + "\n")


class FlatWire(Wire):
    def receive(self):
        kind, seq, *rest = self.line().split(" ")
        request = {"type": kind, "seq": int(seq)}
        heads = {
            "start": ("protocol", "posref", "corpus"),
            "run": ("test", "operation", "dtype"),
            "open": ("object", "operation"),
            "step": ("test", "object", "dtype"),
            "close": ("object",),
            "stop": (),
        }
        request.update(zip(heads[kind], rest, strict=True))
        if kind == "start":
            request["protocol"] = int(request["protocol"])
        if kind in ("run", "open", "step"):
            request.update(params={}, inputs={}, want={})
            while self.body(request):
                pass
        return request

    def body(self, request):
        key, _, rest = self.line().partition(" ")
        if key == "end":
            assert int(rest) == request["seq"]
            return False
        if key == "seq_len":
            request["seq_len"] = int(rest)
        elif key == "want":
            name, dtype = rest.split(" ")
            request["want"][name] = dtype
        elif key == "input":
            name, dtype, rank, *shape = rest.split(" ")
            shape = [int(size) for size in shape]
            assert len(shape) == int(rank)
            request["inputs"][name] = self.tensor(dtype, shape)
        else:
            name, _, rest = rest.partition(" ")
            kind, _, text = rest.partition(" ")
            name, _, inner = name.partition(".")
            place = request["params"].setdefault(name, {}) if inner else request["params"]
            place[inner or name] = self.value(kind, text)
        return True

    def tensor(self, dtype, shape):
        size = int(np.prod(shape))
        words = [
            word
            for _ in range(size // shape[-1] if shape and size else size)
            for word in self.line().split(" ")
        ]
        if dtype in FLOATS:
            return from_bits("".join(words), dtype, shape)
        return np.array([int(word) for word in words], bool if dtype == "bool" else np.int64).reshape(shape)

    def value(self, kind, text):
        if kind in ("integers", "choices", "reals"):
            count, *words = text.split(" ")
            assert len(words) == int(count)
            single = {"integers": "integer", "choices": "choice", "reals": "real"}[kind]
            return [self.value(single, word) for word in words]
        readers = {
            "null": lambda _: None,
            "integer": int,
            "real": lambda word: float(from_bits(word, "float64", ())),
            "boolean": lambda word: {"true": True, "false": False}[word],
            "choice": str,
            "string": json.loads,
            "json": lambda word: JsonWire(None, None).value(json.loads(word)),
        }
        return readers[kind](text)

    def facts(self, facts):
        for key in ("name", "language", "version", "axes"):
            if key in facts:
                yield f"{key} {facts[key]}"
        for key, word in (
            ("operations", "operation"),
            ("dtypes", "dtype"),
            ("sessions", "session"),
            ("lacks", "lacks"),
        ):
            for one in facts.get(key, []):
                yield f"{word} {one}"
        for dtype, claim in facts.get("claims", {}).items():
            yield f"claim {dtype} {claim}"
        if facts.get("flush_subnormals"):
            yield "flush_subnormals true"

    def lines(self, reply, request):
        seq = request["seq"]
        if "facts" in reply:
            yield from self.facts(reply["facts"])
            yield f"end {seq}"
        elif "outputs" in reply:
            for name, one in reply["outputs"].items():
                yield " ".join(map(str, ("output", name, one.dtype.name, one.ndim, *one.shape)))
                digits = DIGITS.get(one.dtype.name)
                for row in rows_of(one):
                    yield " ".join(
                        [row[at : at + digits] for at in range(0, len(row), digits)]
                        if digits
                        else map(str, row)
                    )
            yield f"end {seq}"
        elif "error" in reply:
            yield f"error {seq} {reply['error']['class']} {reply['error']['parameter']}".rstrip()
        elif "skipped" in reply:
            yield f"skipped {seq} {reply['skipped']['reason']}"
        else:
            yield f"{next(iter(reply))} {seq}"

    def send(self, reply, request):
        self.write("".join(f"{line}\n" for line in self.lines(reply, request)))


def has_heads(one):
    return one.shape.endswith(("T D", "Q D", "Q E", "K D", "K E"))


def axes_in(order, entry, inputs):
    """Bring inputs to the reference's order of axes: joined tokens are one long sequence of each head."""
    if order == "bhsd":
        return inputs
    names = [one.name for one in entry.inputs if one.role == "main" and has_heads(one)]
    return {
        name: np.swapaxes(one, -3, -2) if name in names and one.ndim > 2 else one
        for name, one in inputs.items()
    }


def axes_out(order, entry, outputs, inputs):
    if order == "bhsd":
        return outputs
    names = [one.name for one in entry.outputs if has_heads(one)]
    return {
        name: np.swapaxes(one, -3, -2) if name in names and one.ndim > 2 else one
        for name, one in outputs.items()
    }
