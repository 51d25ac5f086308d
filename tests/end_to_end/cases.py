# The form of a case: a run, and what must be true afterwards. Procedures use `@procedure`.
from dataclasses import dataclass, field

from harness import contains, equal

CASES = {}

# Holds for every complete profile.
CLOSED = {"select value from meta where key = 'closed'": "1"}
NO_LOSS = {"select name, count from loss where count > 0": []}


@dataclass
class Case:
    name: str
    victim: str
    options: tuple = ()
    env: dict = field(default_factory=dict)
    status: int = 0
    sql: dict = field(default_factory=dict)
    stderr: tuple = ()
    stdout: str | None = None  # exactly
    lossless: bool = True
    profile: bool = True

    def run(self, bench):
        outcome = bench.run(self.victim, self.options, self.env)
        equal(outcome.status, self.status, "exit status")
        if self.stdout is not None:
            equal(outcome.text(), self.stdout, "stdout of the target")
        for sentence in self.stderr:
            contains(outcome.errors(), sentence, "stderr")
        if self.profile:
            expected = {**CLOSED, **(NO_LOSS if self.lossless else {}), **self.sql}
            for query, wanted in expected.items():
                equal(bench.query(query), wanted, query)
        assert "cuptiFinalize" not in bench.cupti_calls(), "cuptiFinalize was called"


def table(*cases):
    for case in cases:
        assert case.name not in CASES, case.name
        CASES[case.name] = case.run


def procedure(function):
    assert function.__name__ not in CASES, function.__name__
    CASES[function.__name__] = function
    return function
