"""ggml's own kernels: rotations by an iterated ladder, time embeddings, accepted on every case."""

from dataclasses import replace

from honest_figures import check


def test_every_case_is_accepted(framework, capsys):
    ggml = framework("ggml")
    floats = {name: call for name, call in ggml.operations.items() if name != "mrope.axis_of_channel"}
    check(replace(ggml, operations=floats), capsys, 6)
