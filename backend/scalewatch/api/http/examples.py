"""Examples of what fields of answers hold, by the dataclass that is answered."""

from collections.abc import Mapping
from typing import Any, Final

from scalewatch.modelling import Forecast, SideBySide
from scalewatch.services.commits.find import Commit, Scanned
from scalewatch.services.confirmations.requests import Confirmation
from scalewatch.services.gates.findings import GateFinding
from scalewatch.services.gates.outcome import Gate
from scalewatch.services.operations.status import Status, Worker
from scalewatch.services.regions.models import SeriesModel
from scalewatch.services.regressions.regressions import Regression
from scalewatch.services.regressions.webhooks import Webhook

EXAMPLES: Final[Mapping[type, Mapping[str, Any]]] = {
    Commit: {"sha": ["v5.0.2"]},
    Confirmation: {"reason": ["MPI_Bcast (time) grows like p instead of log p"]},
    GateFinding: {"commits": ["v5.0.8..v5.0.11"]},
    Forecast: {"at": [{"p": 65536}], "level": [0.9]},
    Gate: {"relation": ["merge base"]},
    Regression: {"kind": ["growth"]},
    Scanned: {"name": ["jureca"], "coordinates": [[{"p": 2}, {"p": 4}]]},
    SeriesModel: {"region": ["MPI_Bcast"], "metric": ["time"], "unit": ["s"]},
    SideBySide: {"growth": ["p / log p"]},
    Status: {"version": ["0.1.0"], "database": ["sqlite"]},
    Webhook: {
        "url": ["https://chat.example.org/hooks/scalewatch"],
        "last_answer": ["answered 204"],
    },
    Worker: {"kind": ["embedded"]},
}
