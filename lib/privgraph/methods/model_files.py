"""Read back a model that ``Model.save`` wrote."""

from ..mechanisms import all_mechanisms
from .catalogue import all_methods
from .files import read, refusing
from .method import Method
from .model import Model
from .written import made

PARTS = {"method", "release", "learned"}


def load(path) -> Model:
    """The model in a file: method, release, and what was learned, all checked again; no code of the file is run.

    A method of one's own is known once its module is imported.

    :raises ValueError: where the file holds no model, or one of a class that is not known here.
    """
    found = read(path, "a model")
    if set(found) != PARTS or not all(isinstance(part, dict) for part in found.values()):
        raise ValueError(f"{path} holds no model: expected {', '.join(sorted(PARTS))}, got "
                         f"{', '.join(sorted(map(str, found))) or 'nothing'}")
    all_methods(), all_mechanisms()  # whose classes are known then
    with refusing(path, "model"):
        return made(Method, found["method"], path).reload(found["release"], found["learned"], path)
