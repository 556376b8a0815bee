"""The fixture, which pytest finds when the package is installed."""

from typing import Iterator

import pytest

from .sandbox import Sandbox, start_sandbox


@pytest.fixture
def petstore_sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A private shop for one test. Its seed is the name of the test, so that each run sees the same shop."""
    name = request.node.name[:100]
    with start_sandbox(name=name, seed=name) as sandbox:
        yield sandbox
