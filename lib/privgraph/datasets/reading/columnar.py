"""Tables in Parquet and Arrow files, for which pyarrow is needed: the extra ``tables``."""

import os
from pathlib import Path

from .found import MAX_FILE, Table, too_large

MISSING_EXTRA = "Parquet and Arrow files need pyarrow: pip install 'privgraph[tables]', or save the table as CSV"


def read_columns(path) -> Table:
    """A table of texts from a Parquet or an Arrow (Feather) file.

    :raises ModuleNotFoundError: where pyarrow is not installed.
    """
    try:
        from pyarrow import feather, parquet
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(MISSING_EXTRA) from error
    path = Path(path)
    if os.path.getsize(path) > MAX_FILE:
        raise ValueError(too_large(path))
    try:
        if path.suffix.lower() == ".parquet":
            check_rows(parquet.ParquetFile(path).metadata, path)
            table = parquet.read_table(path)
        else:
            table = feather.read_table(path)
    except (ValueError, OSError) as error:
        raise ValueError(f"{path.name} cannot be read: {error}") from error
    columns = {name: [as_text(value) for value in table[name].to_pylist()] for name in table.column_names}
    return Table(path.name, columns)


def check_rows(said, path: Path) -> None:
    """What a file announces of itself: its groups of rows, unpacked."""
    if sum(said.row_group(at).total_byte_size for at in range(said.num_row_groups)) > MAX_FILE:
        raise ValueError(too_large(path))


def as_text(value) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
