import mended_kernel
import numpy as np
from hypothesis import given, settings

import posref
from posref.testing import assert_conforms
from posref.testing.strategies import calls


def test_it_conforms():
    assert_conforms(mended_kernel.apply, "rope.apply", "float32", min_tests=60)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(calls("alibi.slopes", "float32"))
def test_a_property_of_your_own(call):
    slopes = call.on(posref.alibi.slopes)
    assert np.all(slopes > 0)
    assert call.judge(slopes)
