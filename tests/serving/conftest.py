import pytest

from serving_help import models, served


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    return models(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def talk(files):
    """A server with all models; the first of them is `tags`."""
    with served(files, watch=False) as found:
        yield found
