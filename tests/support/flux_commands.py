"""The command `flux`, as far as the agent uses it, without a Flux instance behind it.

It behaves as the manual pages of flux-core 0.89 say, and as recorded answers of it do:
`flux batch` prints an id in base 58, `flux jobs --json` gives one object for one id and
a list for several, fails for unknown ones, and has keys only once they are known. Jobs
are real processes. A test changes what it does by the file `behaviour.json` in the
folder `FLUX_STAND_IN`, and reads there what was asked for.
"""

# ruff: noqa: T201 - a program that answers on standard output

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
FIRST = 91088924704768
NODES = 2


class Instance:
    def __init__(self, folder):
        self.folder = folder
        self.jobs = folder / "jobs"
        self.jobs.mkdir(exist_ok=True)
        path = folder / "behaviour.json"
        self.behaviour = json.loads(path.read_text()) if path.exists() else {}

    def load(self, number):
        path = self.jobs / f"{number}.json"
        return json.loads(path.read_text()) if path.exists() else None

    def save(self, job):
        path = self.jobs / f"{job['id']}.json"
        new = path.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps(job))
        new.replace(path)


def f58(number):
    text = ""
    while number:
        number, digit = divmod(number, 58)
        text = BASE58[digit] + text
    return "ƒ" + text


def decimal(text):
    if text.isdecimal():
        return int(text)
    number = 0
    for letter in text[1:]:
        number = 58 * number + BASE58.index(letter)
    return number


def batch(flux, words):
    parser = argparse.ArgumentParser(prog="flux-batch")
    for name in ("job-name", "time-limit", "cwd", "output", "error", "queue", "bank"):
        parser.add_argument(f"--{name}")
    for name in ("nslots", "cores-per-slot", "nodes"):
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("script", type=Path)
    stated = parser.parse_args(words)
    if stated.queue not in {None, "batch"}:
        sys.exit(f"flux-batch: ERROR: [Errno 22] invalid queue {stated.queue!r}")
    if (stated.nodes or 1) > NODES:
        sys.exit("flux-batch: ERROR: [Errno 22] unsatisfiable request")
    number = FIRST + len(list(flux.jobs.glob("*.json")))
    script = flux.jobs / f"{number}.sh"
    shutil.copy(stated.script, script)
    job = {
        "id": number,
        "jobid": f58(number),
        "name": stated.job_name,
        "state": "SCHED",
        "nnodes": stated.nodes or 1,
        "exception": {"occurred": False},
        "annotations": {},
        "stated": {k: v for k, v in vars(stated).items() if k != "script"},
    }
    flux.save(job)
    print(f58(number))


def start(flux, job):
    stated = job["stated"]
    name = flux.jobs / str(job["id"])
    command = f"/bin/bash {name}.sh; echo $? > {name}.new; mv {name}.new {name}.ended"
    with (
        Path(stated["output"]).open("w") as output,
        Path(stated["error"]).open("w") as error,
    ):
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=stated["cwd"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=error,
            start_new_session=True,
        )
    hosts = [f"node{n}" for n in range(1, job["nnodes"] + 1)]
    job |= {"state": "RUN", "t_run": time.time(), "nodelist": ",".join(hosts)}
    return job | {"group": process.pid}


def inactive(job, result, code, exception=None):
    if exception:
        kind, _, note = exception.partition(": ")
        job["exception"] = {"occurred": True, "severity": 0, "type": kind, "note": note}
    job |= {"state": "INACTIVE", "result": result, "returncode": code}
    return job | {"status": result, "t_inactive": time.time()}


def advanced(flux, job):
    """Return a job as it is at the next look."""
    if job["state"] == "SCHED":
        if exception := flux.behaviour.get("exception"):
            return inactive(job, "FAILED", -128, exception)
        return start(flux, job)
    if job["state"] == "RUN":
        state = flux.behaviour.get("state")
        return job | {"state": state} if state else ended(flux, job)
    return job


def ended(flux, job):
    """Return a running job as it is once its script, or its time, is at an end."""
    path = flux.jobs / f"{job['id']}.ended"
    limit = float(flux.behaviour.get("limit", job["stated"]["time_limit"][:-1]))
    if path.exists():
        code = int(path.read_text())
        exception = flux.behaviour.get("late exception")
        result = "FAILED" if code or exception else "COMPLETED"
        return inactive(job, result, code, exception)
    if time.time() > job["t_run"] + limit:
        kill(job)
        return inactive(job, "TIMEOUT", 142, "timeout: resource allocation expired")
    return job


def jobs(flux, words):
    assert words[0] == "--json"
    shown = []
    unknown = [text for text in words[1:] if flux.load(decimal(text)) is None]
    if flux.behaviour.get("forgets"):
        unknown = words[1:]
    for text in words[1:]:
        if text not in unknown:
            job = flux.load(decimal(text))
            shown.append(job)
            flux.save(advanced(flux, dict(job)))
    for text in unknown:
        print(f"JobID {text} unknown", file=sys.stderr)
    if len(words) == 2:
        if shown:
            print(json.dumps(shown[0]))
    else:
        print(json.dumps({"jobs": shown}))
    sys.exit(1 if unknown else 0)


def kill(job):
    if "group" in job:
        with suppress(ProcessLookupError):
            os.killpg(job["group"], signal.SIGKILL)


def cancel(flux, words):
    for text in words:
        job = flux.load(decimal(text))
        if job is None:
            sys.exit(f"flux-cancel: ERROR: {text}: unknown job id")
        kill(job)
        flux.save(inactive(job, "CANCELED", 143, "cancel"))


def run(_flux, words):
    """Start a program in each task, and end with the highest exit code.

    Lines of tasks come out whole, as Flux sees to.
    """
    name, _, tasks = words[0].partition("=")
    assert name == "--ntasks"
    processes = [
        subprocess.Popen(
            words[1:],
            env={**os.environ, "FLUX_TASK_RANK": str(rank)},
            stdout=subprocess.PIPE,
        )
        for rank in range(int(tasks))
    ]
    for process in processes:
        sys.stdout.buffer.write(process.communicate()[0])
    sys.exit(max(process.returncode for process in processes))


def getattr_(_flux, words):
    assert words == ["hostlist"]
    print(f"node[1-{NODES}]")


COMMANDS = {
    "batch": batch,
    "cancel": cancel,
    "getattr": getattr_,
    "jobs": jobs,
    "run": run,
}


def main():
    command, *words = sys.argv[1:]
    flux = Instance(Path(os.environ["FLUX_STAND_IN"]))
    if flux.behaviour.get("hangs") == command:
        time.sleep(600)
    if message := flux.behaviour.get("refuses", {}).get(command):
        sys.exit(message)
    COMMANDS[command](flux, words)


if __name__ == "__main__":
    main()
