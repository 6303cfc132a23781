"""Result files of other tools: small ones made here, real ones beside the project."""

import json
from pathlib import Path

import pytest

from .builders import sweep
from .programs_output import OUTPUTS

IMPORTS = Path(__file__).parents[2].parent / "shared" / "data" / "imports"


MADE = {
    "profile": """Flat profile:

  %   cumulative   self              self     total
 time   seconds   seconds    calls  ms/call  ms/call  name
 60.00      0.03     0.03     7208     0.00     0.00  f
 40.00      0.05     0.02                             g
""",
    "text": "PARAMETER p n\nPOINTS (4 1) (8 1) (4 2)\nMETRIC time\nREGION a->b\n"
    "DATA 1.5 2\nDATA 3\nDATA nan 4\nREGION c\nDATA 1\nDATA 2\nDATA 3\n",
    "nested": '{"parameters": ["p"], "measurements": {"a": {"time": ['
    '{"point": [4], "values": [1.5, 2]}, {"point": 8, "values": [3]}]}}}',
    "listed": '{"parameters": [{"id": 1, "name": "p"}], "callpaths": [{"id": 1, '
    '"name": "a"}],\n"metrics": [{"id": 1, "name": "time"}], "coordinates": '
    '[{"id": 1, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 4}]}],'
    '\n"measurements": [{"coordinate_id": 1, "callpath_id": 1, "metric_id": 1, '
    '"value": 2.5}]}',
    "lines": '{"params": {"p": 4}, "callpath": "a", "metric": "t", "value": [1, 2]}\n'
    '{"params": {"p": 8}, "unit": "s", "configuration": {"c": 1}, "value": 1.5}\n',
    "table": "region,p,compiler,time [us],deviation\na,4,gcc,1.5,0.1\nb,8,gcc,2,0.2\n",
    "lammps": "LAMMPS (1 Jan 2024)\nLoop time of 1.5 on 4 procs for 10 steps with 32 "
    "atoms\nPerformance: 41.3 ns/day, 0.5 hours/ns\n99% CPU use with 4 MPI tasks x 1 "
    "OpenMP threads\nPair    | 0.8 | 0.9 | 1.0 | 0.3 | 84.91\n",
    "commented": "# nodes  rocm  avg time /  std dev\n#   step\n 64  5.3  1.5  0.1\n",
    "pretty": "result:\n| nodes | runtime[sec] |\n|---|---|\n| 1 | 26 |\n| 2 | 14 |\n",
    "osu": "chatter\n# OSU MPI Bcast Latency Test v7.3\n# Datatype: MPI_CHAR.\n"
    "# Size  Avg Latency(us)  Min Latency(us)\n1  2.5  1.0\n2  2.75  1.1\n",
    "reframe": "job_completion_time|info|jobid|num_tasks|bw_value|bw_unit\n"
    "2026-11-22T19:15:31|halo %n=8 /1a @toy:part+gnu|7|2|1.5|GB/s\n",
    "reframe 3": "2020-09-30T15:10:23+01:00|reframe 3.2|a on b:c using d|jobid=1|"
    "t=36.5|s|ref=0 (l=None, u=None)|num_procs=56\n",
    "reframe report": '{"session_info": {}, "runs": [{"testcases": [{"name": "a", '
    '"num_tasks": 2, "perfvalues": {"a:b:t": [1.5, 0, null, null, "s"]}}]}]}',
    "google": '{"context": {"GIT_COMMIT_HASH": "1a2b3c4"}, "benchmarks": [{"name": '
    '"f/n:8", "real_time": 1.5, "time_unit": "us", "run_type": "iteration"}]}',
    "latex": "\\begin{tabular}{lr}\nCores & Time [s] \\\\ \\hline\n1 & $8.5$ \\\\\n"
    "2 & 4.5 \\\\\n\\end{tabular}\n",
    "simple": "Strong\n------\n\n=====  ====\nCores  Time\n=====  ====\n1      8.5\n"
    "2      4.5\n=====  ====\n",
    "aligned": "Strong:\n\n  No. of cores    Time [s]   Speedup\n  1   8.5   1.00\n"
    "  2   4.5   1.89\n  4   2.5   3.40\n",
    "wide": "model \\ GPUs,1*1,2*4,4x A100\nsmall,9.5,5.5,OOM\nlarge,19.5,--,6.5\n",
    "paired": "No. Cores,Actual 10M,Ideal 10M,Memory (GB)\n8,9.27E+04,9.27e+04,26\n"
    "32,3.80E+05,3.80E+05,--\n56,5.80E+05,6.44E+05,40\n",
    "sentences": "Elapsed with 1 nodes: 8.5 s.\nElapsed with 2 nodes: 4.5 s.\n"
    "Elapsed with 4 nodes: 2.5 s.\n",
    "sacct": "JobID|JobName|State|Elapsed|NNodes|NTasks|AllocCPUS|MaxRSS\n"
    "1|a|COMPLETED|1-00:00:41|2||8|\n1.0|b|COMPLETED|00:00:40|2|8|8|2048K\n",
    "google csv": "Run on (8 X 3000 MHz CPU s)\nname,iterations,real_time,cpu_time,"
    'time_unit,label\n"f/8/threads:2",10,1.5,2.5,ns,"x"\n',
    **{f"log of {name}": text for name, (text, _) in OUTPUTS.items()},
    "runs": "\n".join(json.dumps(one) for one in sweep((2, 4), repetitions=2)),
}


def sample(path: str) -> str:
    """Return the path of a result file; skip the test where there is none."""
    found = IMPORTS / path
    if not found.exists():
        pytest.skip(f"the result files of {path} are not beside this checkout")
    return str(found)
