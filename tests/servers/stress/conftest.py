import sys
from pathlib import Path

# The package is a distribution of its own, installed in the environments of adapters only.
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "adapters" / "sdk"))
