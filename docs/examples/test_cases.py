from mended_kernel import apply

from posref.testing import assert_matches_reference, parametrize


@parametrize("rope.apply", dtype="float32")
def test_each_case(case):
    case.check(apply)


@parametrize("rope.apply", kind="invalid")
def test_bad_input_is_refused(case):
    case.check(apply)


def test_drawn_calls():
    assert_matches_reference(apply, "rope.apply", "float32")
