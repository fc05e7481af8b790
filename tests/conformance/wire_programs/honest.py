"""An honest program on the functions of the reference, on either wire.

    honest.py [--wire json|flat] [--sessions] [--axes ORDER] [--facts JSON] [--stale FLAG] [--log FILE]

It reads and writes messages with code of its own and NumPy, none of the judge's. With --stale its
objects of rope.apply keep what the mistake of that flag keeps; with --log it copies all lines.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from speech import FLOATS, FlatWire, JsonWire, axes_in, axes_out

from posref.errors import SpecError
from posref.operation import find, signature, signatures, stale_mistakes


class Program:
    def __init__(self, args):
        self.args, self.objects = args, {}
        self.wire = (FlatWire if args.wire == "flat" else JsonWire)(sys.stdin.buffer, sys.stdout.buffer)
        self.wire.log = args.log and args.log.open("a")
        known = {one.flag: one for one in stale_mistakes("rope.apply")}
        self.stale = known[args.stale] if args.stale else None

    def facts(self):
        names = [name for name in signatures() if name.startswith(tuple(self.args.schemes.split(",")))]
        facts = {
            "name": "honest", "language": "Python", "version": "1.0",
            "operations": names, "dtypes": self.args.dtypes.split(","),
        }  # fmt: skip
        if self.args.axes != "bhsd":
            facts["axes"] = self.args.axes
        if self.args.sessions:
            facts["sessions"] = names
        return {**facts, **json.loads(self.args.facts)}

    def call(self, operation, params, request, function=None):
        entry = signature(operation)
        inputs = axes_in(self.args.axes, entry, request["inputs"])
        if set(inputs) - {one.name for one in entry.inputs}:
            raise TypeError("unknown input")
        params = dict(params)
        if entry.generator:
            params["dtype"] = request["dtype"]
        given = [inputs.get(one.name) for one in entry.inputs]
        found = (function or find("reference", operation))(*given, **params)
        found = found if len(entry.outputs) > 1 else (found,)
        named = {one.name: np.asarray(array) for one, array in zip(entry.outputs, found, strict=True)}
        assert set(named) == set(request["want"])
        return axes_out(self.args.axes, entry, named, inputs)

    def answer(self, request):
        kind = request["type"]
        if kind == "start":
            assert request["protocol"] == 1
            return {"facts": self.facts()}
        if kind == "open":
            operation, params = request["operation"], request["params"]
            if self.stale and operation == self.stale.operation:
                self.objects[request["object"]] = (operation, {}, self.stale.session(**params))
            else:
                self.objects[request["object"]] = (operation, params, None)
            return {"opened": True}
        if kind == "close":
            del self.objects[request["object"]]
            return {"closed": True}
        if kind == "run":
            return {"outputs": self.call(request["operation"], request["params"], request)}
        operation, params, function = self.objects[request["object"]]
        own = {"seq_len": request["seq_len"]} if "seq_len" in request else {}
        return {"outputs": self.call(operation, {**params, **own}, request, function)}

    def run(self):
        while True:
            request = self.wire.receive()
            if request["type"] == "stop":
                return 0
            try:
                reply = self.answer(request)
            except SpecError as refusal:
                reply = {"error": {"class": refusal.kind, "parameter": refusal.parameter}}
            except TypeError:  # an argument was left out
                reply = {"error": {"class": "MISSING_PARAMETER", "parameter": ""}}
            self.wire.send(reply, request)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--wire", default="json")
    parser.add_argument("--axes", default="bhsd")
    parser.add_argument("--dtypes", default=",".join(FLOATS))
    parser.add_argument("--schemes", default="")
    parser.add_argument("--sessions", action="store_true")
    parser.add_argument("--facts", default="{}", help="further facts, or others")
    parser.add_argument("--stale")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--mark", help="a word by which to find the process")
    sys.exit(Program(parser.parse_args()).run())
