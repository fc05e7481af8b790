"""Scripts for Node that stand in this folder."""

import json
import subprocess
from pathlib import Path

from needed import tool

HERE = Path(__file__).parent


def node(script, *arguments, text=None):
    """Run a script of this folder with Node and return what it prints, read as JSON."""
    command = [tool("node"), HERE / script, *arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
