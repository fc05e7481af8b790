"""Commands of the pages, run while the site is built; what is shown is what they printed."""

import os
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"

COMMANDS = {
    "start-faulty": ("check", "my_kernel:operations", "--operation", "rope.apply", "--dtype", "float32"),
    "start-mended": ("check", "mended_kernel:operations", "--operation", "rope.apply", "--dtype", "float32"),
}
EXPECTED = {"start-faulty": 1, "start-mended": 0}


def output(name: str) -> str:
    """Return what the command `name` prints; another exit code than the page promises is an error."""
    path = os.pathsep.join((str(EXAMPLES), str(EXAMPLES.parent.parent)))
    done = subprocess.run(
        [sys.executable, "-m", "posref", *COMMANDS[name]],
        cwd=EXAMPLES,
        env={
            **os.environ,
            "PYTHONPATH": path,
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != EXPECTED[name]:
        raise RuntimeError(f"{name}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout.rstrip()


def pages() -> dict[str, str]:
    """Return each command with its output as a page to include."""
    return {
        f"{name}.md": f"```console\n$ posref {' '.join(words)}\n{output(name)}\n```\n"
        for name, words in COMMANDS.items()
    }
