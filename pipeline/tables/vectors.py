"""Which vectors can be searched: asked when they are made, published, taken over, and written into an index."""

import numpy as np
from numpy.typing import NDArray


def searchable(vectors: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which of the vectors (n, dims) are finite and not zero.

    Others have no direction, and are every answer or none. So have those whose length is not finite, or no normal number.
    """
    with np.errstate(over="ignore"):  # that is one of the answers
        norms = np.linalg.norm(vectors, axis=1)
    return np.isfinite(norms) & (norms >= np.finfo(np.float32).tiny)
