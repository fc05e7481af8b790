"""What fuzzing found, each as the smallest file that showed it."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_roots
from kinds import ASKED, PAIR
from test_command_lines import judged, said

from posref.configuration import resolved
from posref.conformance import archive, expected
from posref.conformance.wire import flat
from posref.corpus import encode, load_vectors, manifest, sweep_state
from posref.corpus.strict import parse, read_object
from posref.errors import FormatError

LADDER = PAIR[0]
HARD = "hard/rope/cos_sin.json"


def edited(root: Path, path: str, edit: Any) -> None:
    """Put one file into a folder, edited, and sign it."""
    good = small_roots.cut(path)
    document = json.loads(good)
    edit(document["groups"][0]["tests"][0])
    counts = small_roots.counted({path: good})
    small_roots.write(root, {path: encode.dump(document)}, counts)


class TestVectorFiles:
    @pytest.mark.parametrize("distance", ["9.99e+999", "1.00e+99", "1.00e+9999"])
    def test_a_distance_beyond_all_distances(self, tmp_path: Path, distance: str) -> None:
        """As a float it is infinite, and no difference is more than infinite."""
        edited(tmp_path, HARD, lambda test: test["hardness"].update(distance_ulp=distance))
        with pytest.raises(FormatError, match=r"distance_ulp: (is not the distance|must match)"):
            load_vectors(tmp_path)

    def test_more_axes_than_an_array_has(self, tmp_path: Path) -> None:
        def edit(test: Any) -> None:
            for stored in test["expected"]["inv_freq"].values():
                stored["shape"] += [1] * 70

        edited(tmp_path, LADDER, edit)
        with pytest.raises(FormatError, match="/shape: has more than 32 axes"):
            load_vectors(tmp_path)

    @pytest.mark.parametrize("depth", [65, 900, 5000])
    def test_nested_as_deep_as_the_parser_goes(self, depth: int) -> None:
        with pytest.raises(FormatError, match="nested more than 64 deep"):
            parse(b"[" * depth + b"1.5" + b"]" * depth, "file")

    def test_nested_as_deep_as_is_legal(self) -> None:
        place = parse(b"[" * 64 + b"1" + b"]" * 64, "file")
        for _ in range(64):
            (place,) = place.elements()
        assert place.value == 1

    def test_a_key_that_is_no_line(self) -> None:
        with pytest.raises(FormatError) as failure:
            parse(b'{"a\\n\\u001b[31m": {"b": 1, "b": 2}}', "file").elements()
        assert str(failure.value).isprintable()


class TestFolders:
    @pytest.mark.parametrize("path", [manifest.MANIFEST, manifest.SUMS, LADDER])
    @pytest.mark.parametrize("kind", ["pipe", "folder"])
    def test_what_is_no_file(self, tmp_path: Path, path: str, kind: str) -> None:
        small_roots.lay(tmp_path, PAIR)
        (tmp_path / path).unlink()
        (tmp_path / path).mkdir() if kind == "folder" else os.mkfifo(tmp_path / path)
        done = subprocess.run(  # a pipe that nobody writes into would be read for ever
            [sys.executable, "-m", "posref", "show", "any", "--root", str(tmp_path)],
            capture_output=True, text=True, check=False, timeout=60,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )  # fmt: skip
        assert done.returncode == 2
        assert done.stderr == f"posref: {path}: is no file\n"

    def test_a_link_out_of_the_folder(self, tmp_path: Path) -> None:
        root = tmp_path / "root"
        small_roots.lay(root, PAIR)
        (root / LADDER).rename(tmp_path / "elsewhere.json")
        (root / LADDER).symlink_to(tmp_path / "elsewhere.json")
        with pytest.raises(FormatError, match="leads out of the folder"):
            load_vectors(root)

    @pytest.mark.parametrize(
        "path",
        [
            "/etc/passwd", "../core/rope/inv_freq.json", "core/../core/rope/inv_freq.json", "core/./x.json",
            "core//x.json", "Core/rope/inv_freq.json", "core/rope/INV_FREQ.json", "core/rope/inv_freq.json ",
            "core/rope/inv_freq.json\n", "core\\rope\\inv_freq.json", "elsewhere/x.json", "core/rope", "",
            "core/rope/\u0131nv_freq.json",
        ],
    )  # fmt: skip
    def test_a_path_of_another_form(self, tmp_path: Path, path: str) -> None:
        small_roots.lay(tmp_path, PAIR)
        listed = json.loads((tmp_path / manifest.MANIFEST).read_bytes())
        listed["files"][0]["path"] = path
        (tmp_path / manifest.MANIFEST).write_text(json.dumps(listed))
        with pytest.raises(FormatError, match=r"manifest.json at /files/0/path: must"):
            load_vectors(tmp_path)


class TestUserFiles:
    def test_a_number_beyond_every_float(self, tmp_path: Path) -> None:
        (tmp_path / "config.json").write_text('{"rope_theta": 1e999}')
        with pytest.raises(FormatError, match="/rope_theta: 1e999 is beyond every float64"):
            read_object(tmp_path / "config.json")

    def test_a_head_wider_than_any(self, tmp_path: Path) -> None:
        config = {"hidden_size": 2**33, "num_attention_heads": 2, "rope_theta": 1e4}
        (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama", **config}))
        with pytest.raises(FormatError, match="asks for 4294967296 rotated channels, more than 16384"):
            resolved(tmp_path / "config.json")

    @pytest.mark.parametrize(
        "text", ["expected = " + "9" * 5000, "[[expected]]\ncase = 0x" + "f" * 5000, "a.b.c = 1\n" * 2]
    )
    def test_numbers_that_are_too_long_for_toml(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "known.toml").write_text(text)
        with pytest.raises(FormatError, match=r"known\.toml"):
            expected.read(tmp_path / "known.toml")

    @pytest.mark.parametrize(
        ("edit", "message"),
        [
            (lambda units: units["a"].update(unfaithful=0), "was changed"),
            (lambda units: units["a"].update(unfaithful=-1), "/units/a/unfaithful: is out of range"),
            (lambda units: units["a"].update(worst="nan"), "/units/a/worst: must match"),
            (lambda units: units["a"].pop("worst"), "/units/a: 'worst' is missing"),
            (lambda units: units.pop("a"), "was changed"),
        ],
    )
    def test_a_state_that_was_changed(self, tmp_path: Path, edit: Any, message: str) -> None:
        state = tmp_path / "state.json"
        sweep_state.write(state, {"a": sweep_state.Tally(8, 0, 2, 2, 3.5)})
        record = json.loads(state.read_bytes())
        edit(record["units"])
        state.write_text(json.dumps(record))
        with pytest.raises(FormatError, match=message):
            sweep_state.read(state)

    @pytest.mark.parametrize(
        "text", ["", "{", "\xff", '{"format": "posref-sweep-2"}', "[]", '{"format": NaN}']
    )
    def test_a_state_that_is_none(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "state.json").write_bytes(text.encode("latin-1"))
        with pytest.raises(FormatError, match=r"state\.json"):
            sweep_state.read(tmp_path / "state.json")


class TestReplies:
    @pytest.mark.parametrize(
        ("kind", "text"),
        [
            ("opened", "opened 3\nopened 3\n"),
            ("skipped", "skipped 3 no kernel\nskipped 3 no kernel\n"),
            ("error", "error 3 INVALID_SHAPE x\n\n"),
            ("outputs", "output y float32 1 0"),
            ("outputs", "output y float32 1 0\noutput index int32 1 0"),
            ("outputs", ""),
            ("facts", "name a"),
            ("opened", "opened 03"),
            ("opened", "opened +3"),
            ("outputs", "output y float32 0\n3f800000\noutput index int32 0\n-0\nend 3"),
            ("outputs", "output y float32 01 1\n3f800000\noutput index int32 0\n7\nend 3"),
        ],
    )
    def test_lines_too_many_or_too_few_and_numbers_of_another_form(self, kind: str, text: str) -> None:
        with pytest.raises(FormatError):
            flat.decode(text.encode(), ASKED[kind], 0 if kind == "facts" else 3)


class TestArchives:
    def refused(self, file: Path, message: str) -> None:
        with pytest.raises(FormatError, match=message) as failure:
            archive.read(file)
        assert str(file) in str(failure.value)

    def written(self, file: Path, *members: tuple[str, bytes]) -> bytes:
        with zipfile.ZipFile(file, "w") as stream:
            for name, data in members:
                stream.writestr(name, data)
        return file.read_bytes()

    def array(self, array: Any) -> bytes:
        out = io.BytesIO()
        np.lib.format.write_array(out, np.asarray(array))
        return out.getvalue()

    def test_a_name_that_stands_twice(self, tmp_path: Path) -> None:
        with pytest.warns(UserWarning, match="Duplicate name"):
            self.written(tmp_path / "a", ("x.npy", self.array([1.0])), ("x.npy", self.array([2.0])))
        self.refused(tmp_path / "a", "/x.npy: stands twice")

    @pytest.mark.parametrize("left_out", ["x.npy", "y.npy"])
    def test_an_array_that_the_directory_leaves_out(self, tmp_path: Path, left_out: str) -> None:
        """The judge would take an optional input for absent."""
        data = self.written(tmp_path / "a", ("x.npy", self.array([1.0])), ("y.npy", self.array([2.0])))
        directory, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
        entry = (end - directory) // 2
        start = directory if left_out == "x.npy" else directory + entry
        tail = bytearray(data[end:])
        tail[8] = tail[10] = 1
        tail[12:16] = entry.to_bytes(4, "little")
        (tmp_path / "a").write_bytes(data[:start] + data[start + entry : end] + tail)
        self.refused(tmp_path / "a", "bytes that its directory does not name")

    def test_bytes_behind_an_array(self, tmp_path: Path) -> None:
        """They were not read, and so the check sum was not looked at."""
        self.written(tmp_path / "a", ("x.npy", self.array([1.0]) + b"more"))
        self.refused(tmp_path / "a", r"/x: cannot be read: has not the bytes of shape \[1\]")

    def test_a_smaller_shape_than_there_are_bytes(self, tmp_path: Path) -> None:
        data = self.written(tmp_path / "a", ("x.npy", self.array([1.0, 2.0])))
        (tmp_path / "a").write_bytes(data.replace(b"(2,)", b"(1,)"))
        self.refused(tmp_path / "a", "/x: cannot be read")

    @pytest.mark.parametrize(
        ("at", "value"),
        [(6, 1), (8, 99), (42, 255)],
        ids=["encrypted", "compression", "offset"],
    )
    def test_a_directory_that_lies(self, tmp_path: Path, at: int, value: int) -> None:
        data = bytearray(self.written(tmp_path / "a", ("x.npy", self.array([1.0]))))
        start = data.index(b"PK\x01\x02")
        data[start + at + (2 if at < 40 else 0)] = value
        (tmp_path / "a").write_bytes(data)
        self.refused(tmp_path / "a", "a")

    @pytest.mark.parametrize("array", [np.array(["a"]), np.array([1], "M8[s]"), np.array([(1,)], "i4,")])
    def test_what_is_no_number(self, tmp_path: Path, array: Any) -> None:
        self.written(tmp_path / "a", ("x.npy", self.array(array)))
        self.refused(tmp_path / "a", "holds no plain numbers")

    def test_a_header_that_numpy_would_mend(self, tmp_path: Path) -> None:
        data = self.array([1.0]).replace(b"(1,), }", b"(1L,),}")
        self.written(tmp_path / "a", ("x.npy", data))
        self.refused(tmp_path / "a", "additional header parsing")


class TestCommands:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["check", "--cmd", "a", "--max-reply", "x"], "--max-reply: must be an integer, got 'x'"),
            (["check", "--cmd", "a", "--timeout", "nan"], "--timeout: must be above 0, got nan"),
            (["check", "reference", "--min-tests", "0"], "--min-tests: must be at least 1, got 0"),
            (["sweep", "--widths", "3"], "--widths: must be even and at least 2, got 3"),
            (["sweep", "--bases", "1e999"], "--bases: must be above 1, got 1e999"),
            (["resolve", "a", "--layer-index", "-1"], "--layer-index: must be at least 0, got -1"),
            (["bench", "--rounds", "9" * 5000], "--rounds: must be an integer"),
        ],
    )
    def test_numbers_out_of_range(self, words: list[str], message: str) -> None:
        code, err = said(words)
        assert code == 2
        assert f"argument {message}" in err

    @pytest.mark.parametrize("width", [2**28, 2**31, 2**62, 10**30])
    def test_a_width_that_nothing_comes_near(self, tmp_path: Path, width: int) -> None:
        params = json.dumps({"rotary_dim": width, "base": 10000}).encode()
        code, err = said(judged(tmp_path, params=params))
        assert (code, err) == (
            2, "posref: rope.inv_freq: rotary_dim is not judged beyond 65536 with these arrays\n"
        )  # fmt: skip

    def test_positions_that_no_memory_holds(self, tmp_path: Path) -> None:
        out = io.BytesIO()
        np.savez(out, cu_seqlens=np.array([0, 10**10]))
        (tmp_path / "in").write_bytes(out.getvalue())
        words = ["judge", "positions.from_lengths", "--inputs", str(tmp_path / "in")]
        for name, data in (("params", b"{}"), ("output", out.getvalue())):
            (tmp_path / name).write_bytes(data)
            words += [f"--{name}", str(tmp_path / name)]
        code, err = said(words)
        assert code == 2
        assert err.startswith("posref: not enough memory")
