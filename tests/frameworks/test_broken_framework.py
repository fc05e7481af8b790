"""A framework that is deliberately broken is judged wrong, and the mistake is named."""

import pytest

import posref


@pytest.fixture
def transformers(framework):
    return framework("transformers")


def judged(implementation):
    return posref.check(implementation, "rope.rotate", dtype="float32", kind="value")


def test_the_rotation_is_right_as_it_ships(transformers):
    assert judged(transformers)


def test_a_rotation_the_other_way_round_is_named(transformers, monkeypatch):
    from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek_v3
    from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
    from transformers.models.gptj import modeling_gptj as gptj
    from transformers.models.llama import modeling_llama as llama

    for module, name in (
        (deepseek_v3, "rotate_half"),
        (gpt_neox, "rotate_half"),
        (gptj, "rotate_every_two"),
        (llama, "rotate_half"),
    ):
        right = getattr(module, name)
        monkeypatch.setattr(module, name, lambda x, right=right: -right(x))
    report = judged(transformers)
    (summary,) = report.operations
    assert not report
    assert summary.failed > summary.passed
    assert summary.strongest_claim == "none"
    assert "sign-reversed" in summary.diagnosis or "other way" in summary.diagnosis
