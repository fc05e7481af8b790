from mended_kernel import operations

import posref


def test_the_kernel_conforms():
    report = posref.check(operations, operations="rope.apply", dtype="float32")
    assert report, report.to_text()
