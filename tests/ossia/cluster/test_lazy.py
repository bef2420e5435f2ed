"""Without a cluster nothing of Ray or of a database's driver is loaded."""

import subprocess
import sys


def test_a_local_run_loads_neither_ray_nor_psycopg():
    code = (
        "import sys, ossia.cli.run, ossia.api, ossia.session;"
        "print([name for name in ('ray', 'psycopg', 'ossia.cluster') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "[]\n", done.stderr
