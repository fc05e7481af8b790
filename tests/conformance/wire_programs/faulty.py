"""A program that offers rope.inv_freq and does one thing wrong.

    faulty.py FAULT [--wire json|flat] [--once FILE] [--mark TEXT]

The fault shows at the third request of each life of the program; with --once only as long as FILE is
not there, which the fault makes. --mark is for whoever looks for processes left over.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from speech import FlatWire, JsonWire, to_bits

parser = argparse.ArgumentParser()
parser.add_argument("fault")
parser.add_argument("--wire", default="json")
parser.add_argument("--once", type=Path)
parser.add_argument("--mark", default="")
args = parser.parse_args()

FACTS = {
    "name": "faulty",
    "language": "Python",
    "version": "",
    "operations": ["rope.inv_freq"],
    "dtypes": ["float64"],
}


def answer(request):
    params = request["params"]
    width, base = params.get("rotary_dim"), params.get("base")
    if type(width) is not int or width < 2 or width % 2 or type(base) is not float or not 1 < base < np.inf:
        return {"error": {"class": "INVALID_PARAMETER", "parameter": "base"}}
    return {"outputs": {"inv_freq": base ** (-np.arange(0, width, 2) / width)}}


def say(text):
    sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())
    sys.stdout.buffer.flush()


def altered(change):
    """Return a fault that changes the array of a right answer."""

    def fault(wire, request, reply):
        found = reply.get("outputs", {"inv_freq": np.ones(2)})["inv_freq"]
        wire.send({"outputs": {"inv_freq": change(found)}}, request)

    return fault


def edited(change):
    """Return a fault that changes the JSON form of a right answer."""

    def fault(wire, request, reply):
        wire.record_edit = change
        wire.send(reply if "outputs" in reply else {"outputs": {"inv_freq": np.ones(2)}}, request)

    return fault


def hang(wire, request, reply):
    time.sleep(600)


def die(wire, request, reply):
    print("no such kernel\nlast words", file=sys.stderr, flush=True)
    os._exit(7)


def crash(wire, request, reply):
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSEGV)


def noise(wire, request, reply):
    say("loading weights ...\n")
    wire.send(reply, request)


def chatter(wire, request, reply):
    wire.send(reply, request)
    say("done\n")


def out_of_order(wire, request, reply):
    wire.send(reply, {**request, "seq": request["seq"] + 1})


def endless(wire, request, reply):
    while True:
        say(b"x" * 65536)


def no_newline(wire, request, reply):
    say('{"seq":3')
    time.sleep(600)


def closed(wire, request, reply):
    os.close(1)
    time.sleep(600)


def binary(wire, request, reply):
    say(b"\xff\x00\x1b[31m\n")


def orphan():
    """Leave a process behind that holds the pipes open."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", args.mark])


def widow(wire, request, reply):
    orphan()
    os._exit(9)


def talkative(wire, request, reply):
    sys.stderr.write("x" * 1_000_000)
    sys.stderr.flush()
    wire.send(reply, request)


FAULTS = {
    "hang": hang,
    "die": die,
    "crash": crash,
    "noise": noise,
    "chatter": chatter,
    "out-of-order": out_of_order,
    "endless": endless,
    "no-newline": no_newline,
    "closed": closed,
    "binary": binary,
    "widow": widow,
    "talkative": talkative,
    "shape": altered(lambda found: np.append(found, 0.5)),
    "dtype": altered(lambda found: found.astype(np.float32)),
    "nan": altered(lambda found: np.full_like(found, np.nan)),
    "infinity": altered(lambda found: np.full_like(found, np.inf)),
    "digits": edited(lambda one: one["data"].__setitem__(0, one["data"][0] + "0")),
    "rows": edited(lambda one: one["data"].append(one["data"][0])),
    "letters": edited(lambda one: one["data"].__setitem__(0, "g" * len(one["data"][0]))),
    "key": edited(lambda one: one.__setitem__("strides", [8])),
    "float-json": edited(lambda one: one.__setitem__("data", [0.5])),
    "axes": edited(lambda one: one.__setitem__("shape", [1] * 40 + one["shape"])),
}


class EditedWire(JsonWire):
    record_edit = None

    def record(self, reply, request):
        found = super().record(reply, request)
        if self.record_edit and "outputs" in found:
            self.record_edit(found["outputs"]["inv_freq"])
            self.record_edit = None
        return found


class EditedFlat(FlatWire):
    record_edit = None

    def lines(self, reply, request):
        if self.record_edit and "outputs" in reply:
            one = reply["outputs"]["inv_freq"]
            form = {"shape": list(one.shape), "data": [to_bits(one)]}
            self.record_edit(form)
            self.record_edit = None
            yield " ".join(map(str, ("output inv_freq float64", len(form["shape"]), *form["shape"])))
            for row in form["data"]:
                width = 17 if len(str(row)) % 16 else 16
                yield " ".join(str(row)[at : at + width] for at in range(0, len(str(row)), width))
            yield f"end {request['seq']}"
        else:
            yield from super().lines(reply, request)


def due(request):
    if request["seq"] != 3 or args.fault not in FAULTS:
        return False
    if args.once is None:
        return True
    if args.once.exists():
        return False
    args.once.touch()
    return True


def run():
    if args.fault == "dead":
        print("libkernel.so not found", file=sys.stderr)
        sys.exit(3)
    if args.fault == "noise-at-start":
        say("hello\n")
    if args.fault == "parent":
        orphan()
    wire = (EditedFlat if args.wire == "flat" else EditedWire)(sys.stdin.buffer, sys.stdout.buffer)
    while True:
        request = wire.receive()
        kind = request["type"]
        if kind == "stop":
            if args.fault == "ignores-stop":
                time.sleep(600)
            sys.exit(5 if args.fault == "exit-code" else 0)
        if kind == "start":
            wire.send({"facts": FACTS}, request)
        elif args.fault == "doomed":
            os._exit(1)
        elif args.fault == "skips":
            wire.send(
                {"skipped": {"reason": "no kernel\nfor this\x1b"}}
                if args.wire == "json"
                else {"skipped": {"reason": "no kernel"}},
                request,
            )
        elif args.fault == "refuses":
            wire.send({"error": {"class": "OUT_OF_RANGE", "parameter": ""}}, request)
        elif due(request):
            FAULTS[args.fault](wire, request, answer(request))
        else:
            wire.send(answer(request), request)


run()
