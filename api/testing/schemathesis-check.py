"""Sends a running appliance what its /openapi.json allows and what it does not, and holds every answer against it.
Not part of `npm test`: it wants Python and the package index.

    python3 -m venv /tmp/schemathesis && /tmp/schemathesis/bin/pip install schemathesis==4.32.5
    /tmp/schemathesis/bin/python api/testing/schemathesis-check.py http://localhost:8080 <admin key> [seconds]

It declares sources, starts runs and makes keys: use an appliance with a data folder of its own. It asks for pages at
addresses that it makes up, so shut the appliance in where that matters (`unshare -rn` on Linux). Give it the key of
FOSSICK_API_KEY, since any other can be ended by a call. Exits with 0 when nothing is wrong, and says how many cases
there were.

Schemas cannot say everything: whether a date exists, whether two fields contradict each other. Such bodies are
refused with 400 or 422, and a thing in the wrong state with 409, so these are taken for right answers to what a
schema allows. 432 comes when a key is used up; 404 when a thing is not there;
431 when a question in the address is longer than what a server takes of a head.
"""

import os
import subprocess
import sys
import tempfile

CONFIG = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "403", "404", "409", "422", "429", "431", "432", "433", "503"]
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "429", "431", "432", "433", "5xx"]
"""

base, key = sys.argv[1].rstrip("/"), sys.argv[2]
seconds = sys.argv[3] if len(sys.argv) > 3 else "600"
program = os.path.join(os.path.dirname(sys.executable), "schemathesis")

with tempfile.TemporaryDirectory() as folder:
    config = os.path.join(folder, "schemathesis.toml")
    with open(config, "w") as file:
        file.write(CONFIG)
    command = [
        program, "--config-file", config, "run", f"{base}/openapi.json", "--url", base,
        "--header", f"Authorization: Bearer {key}",
        "--checks", "all", "--mode", "all", "--workers", "4", "--max-time", seconds, "--request-timeout", "170", "--max-response-time", "160",
        "--suppress-health-check", "all", "--continue-on-failure", "--no-color",
        "--report-dir", folder,
    ]
    sys.exit(subprocess.run(command, cwd=folder).returncode)
