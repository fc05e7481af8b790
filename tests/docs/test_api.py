"""What is documented is what is public."""

import inspect
import re
from pathlib import Path

import posref
from posref import operation

ROOT = Path(__file__).parents[2]


def documented(site):
    """Return the Python names that the API page describes."""
    page = (site / "api.html").read_text("utf-8")
    return set(re.findall(r'<dt class="sig[^"]*" id="(posref\.[\w.]+)">', page))


def test_every_operation_and_every_face_is_documented(site):
    public = {f"posref.{name}" for name in operation.signatures()}
    public |= {f"posref.{name}" for name in posref.FACES} | {
        "posref.SpecError",
        "posref.errors.FormatError",
        "posref.errors.ConfigWarning",
    }
    assert public - documented(site) == set()


def test_nothing_else_is_documented_but_parts_of_these(site):
    known = {f"posref.{name}" for name in operation.signatures()} | {
        f"posref.{name}" for name in posref.__all__
    }
    known |= {
        "posref.errors.FormatError",
        "posref.errors.ConfigWarning",
        "posref.conformance.Report",
        "posref.conformance.Verdict",
    }
    strange = {
        name for name in documented(site) if name not in known and name.rpartition(".")[0] not in known
    }
    assert strange == set()


def test_every_public_function_of_the_reference_is_an_operation():
    for scheme in operation.schemes():
        module = getattr(posref, scheme)
        inside = [
            name for name, value in vars(module).items() if inspect.isfunction(value) and name[0] != "_"
        ]
        defined = [name for name in inside if getattr(module, name).__module__ == module.__name__]
        names = getattr(module, "__all__", defined)
        functions = {f"{scheme}.{name}" for name in names if name in inside}
        assert functions == {name for name in operation.signatures() if name.startswith(f"{scheme}.")}
