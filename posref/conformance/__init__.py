"""The judge: claims, verdicts, diagnosis, reports."""

from posref.conformance.report import Report
from posref.conformance.single import Verdict, judge
from posref.conformance.suite import check

__all__ = ["Report", "Verdict", "check", "judge"]
