"""Published models: what spec/models says, the files made of it, and faults in them."""

import json
import re
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import posref
from posref import operation
from posref.corpus import load_vectors, manifest
from posref.corpus.generate import build
from posref.corpus.kinds import path_of
from posref.corpus.lint import lint, rewrite
from posref.corpus.models import models, read
from posref.corpus.verify import verify
from posref.errors import FormatError

MODELS = models()
ROTARY = [
    (model.name, group)
    for model in MODELS.values()
    for group in model.groups
    if group.operation == "rope_scaling.resolve"
]
OSS = (
    0.050813274815461475,
    0.03170569618466377,
    0.006794959489732219,
    0.0001293187012450632,
    3.8308812373753384e-05,
)
HALF = {"pairing": "half", "rotary_start": 0}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("models") / "vectors"
    build(root, operations="models/*")
    return root


@pytest.mark.parametrize("name", MODELS)
def test_a_model_says_where_its_numbers_come_from(name: str) -> None:
    content = json.loads((operation.home("spec") / "models" / f"{name}.json").read_text("ascii"))
    assert content["model"] == name
    assert all(re.match(r"https://[a-z.]+/\S+$", source) for source in content["source"])
    assert len({group["group"] for group in content["groups"]}) == len(content["groups"])


def resolved(group: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return posref.rope_scaling.resolve(**group.params)


@pytest.mark.parametrize(("name", "group"), ROTARY, ids=[f"{name}-{group.name}" for name, group in ROTARY])
def test_rotations_are_those_of_the_configuration(name: str, group: Any) -> None:
    """A rotation of a model has the width, base and scaling that its configuration resolves to."""
    found = resolved(group)
    if not found.rotary_dim:
        return
    suffix = group.name.removeprefix("frequencies").removeprefix("layer-0")
    own = f"rotation{suffix and '-' + suffix}"
    rotation = next((entry for entry in MODELS[name].groups if entry.name == own), None)
    if rotation is None:  # the axes of a multimodal model turn together, and no single rotation is its own
        assert name in ("qwen2-vl", "qwen3-vl")
        return
    params = rotation.params
    assert params["rotary_dim"] == found.rotary_dim
    assert params["base"] == found.base
    width = int(found.rotary_dim)
    one = np.zeros((width // 2, width))
    one[np.arange(width // 2), np.arange(width // 2)] = 1.0
    long = {**params, **HALF, "rotary_dim": width}
    turned = posref.rope.apply(one, np.ones(width // 2, np.int64), **long)
    pairs = np.arange(width // 2)
    np.testing.assert_allclose(
        turned[pairs, pairs], found.attention_factor * np.cos(found.inv_freq), rtol=1e-14
    )
    np.testing.assert_allclose(
        turned[pairs, pairs + width // 2], found.attention_factor * np.sin(found.inv_freq), rtol=1e-14
    )


def test_known_numbers() -> None:
    """Printed values: gpt-oss between the ends of its ramp, DeepSeek-V3's logits, Phi-3.5's magnitude."""
    first = {name: next(group for group in model.groups) for name, model in MODELS.items()}
    oss = resolved(first["gpt-oss"])
    np.testing.assert_allclose(
        oss.inv_freq[[8, 9, 12, 17, 18]],
        OSS,
        rtol=1e-14,
    )
    np.testing.assert_allclose(oss.attention_factor, 1.3465735902799727, rtol=1e-15)
    deepseek = resolved(first["deepseek-v3"])
    assert deepseek.attention_factor == 1.0
    np.testing.assert_allclose(deepseek.softmax_factor, 1.8739, atol=5e-5)
    np.testing.assert_allclose(resolved(first["phi-3.5"]).attention_factor, 1.1902380714238083, rtol=1e-15)


def test_every_file_is_built_loaded_and_judged(corpus: Path) -> None:
    loaded = load_vectors(corpus)
    assert {file.path for file in loaded.files} == {path_of(name, "model") for name in MODELS}
    assert len(loaded.tests) == sum(len(model.groups) for model in MODELS.values())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = posref.check(posref, root=corpus)
    assert report.failed == report.errors == report.uninformative == 0
    assert {result.case_id for result in report.results if result.verdict == "pass"} == {
        test.id for test in loaded.tests
    }


def test_files_are_canonical(corpus: Path) -> None:
    loaded = load_vectors(corpus)
    for file in loaded.files:
        tests = [test for test in loaded.tests if test.file == file.path]
        assert rewrite(tests) == (corpus / file.path).read_bytes()
    assert not [problem for problem in lint(corpus).problems if problem.startswith("models/")]


def test_an_operation_brings_its_models(corpus: Path) -> None:
    tests = load_vectors(corpus, "alibi.*").tests
    assert {test.file for test in tests} == {"models/bloom.json", "models/mpt.json"}


def test_other_files_stay(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus, tmp_path / "vectors")
    build(tmp_path / "vectors", operations="models/bloom")
    for name in MODELS:
        path = path_of(name, "model")
        assert (tmp_path / "vectors" / path).read_bytes() == (corpus / path).read_bytes()
    assert verify(tmp_path / "vectors", operations="models/m*") == []


def edited(corpus: Path, tmp_path: Path, name: str, edit: Any) -> Path:
    """Return a corpus of one model whose file was edited, with a manifest that agrees."""
    root = tmp_path / "edited"
    (root / "models").mkdir(parents=True)
    path = root / path_of(name, "model")
    content = json.loads((corpus / path_of(name, "model")).read_text("ascii"))
    edit(content)
    path.write_text(json.dumps(content))
    (root / manifest.SUMS).write_bytes(manifest.sums(root))
    (root / manifest.MANIFEST).write_text(json.dumps(manifest.make(root, "0.1.0")))
    return root


@pytest.mark.parametrize(
    ("edit", "pointer"),
    [
        (lambda content: content.update(model="mpt"), "/model"),
        (lambda content: content.update(source=[]), "/source"),
        (lambda content: content.update(source=[""]), "/source/0"),
        (lambda content: content.update(kind="value"), "/kind"),
        (lambda content: content.pop("source"), ""),
        (lambda content: content.update(operation="alibi.slopes"), "/operation"),
        (lambda content: content["groups"][0].update(operation="alibi.slope"), "/groups/0/operation"),
        (lambda content: content["groups"][0].pop("operation"), "/groups/0"),
        (lambda content: content["groups"][0]["params"].pop("bias_max"), "/groups/0/params"),
    ],
)
def test_a_wrong_file_is_refused(corpus: Path, tmp_path: Path, edit: Any, pointer: str) -> None:
    with pytest.raises(FormatError) as caught:
        load_vectors(edited(corpus, tmp_path, "bloom", edit))
    assert caught.value.pointer == pointer


def test_a_folder_inside_models_is_no_model(corpus: Path, tmp_path: Path) -> None:
    root = edited(corpus, tmp_path, "bloom", lambda content: None)
    (root / "models" / "deep").mkdir()
    (root / "models/bloom.json").rename(root / "models/deep/bloom.json")
    (root / manifest.SUMS).write_bytes(manifest.sums(root))
    (root / manifest.MANIFEST).write_text(json.dumps(manifest.make(root, "0.1.0")))
    with pytest.raises(FormatError, match="not the path of a file"):
        load_vectors(root)


def test_a_missing_parameter_of_a_model_is_an_error() -> None:
    group = {"group": "a", "operation": "alibi.slopes", "comment": "A.", "clauses": [], "inputs": {}}
    entry = {"model": "one", "title": "One", "source": ["https://a.b/c"], "groups": [{**group, "params": {}}]}
    with pytest.raises(KeyError, match="num_heads"):
        read(entry)
