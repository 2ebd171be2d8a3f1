"""Write the hyperparameters of chapter 7 from the ledger of its search:
run it after `privbook reproduce rgnn-search`."""

import csv

from privbook.papers.results import Results
from privbook.papers.rgnn import search, tables

with open(tables.CHOSEN, "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, search.WHERE + search.TUNED, lineterminator="\n")
    writer.writeheader()
    writer.writerows(search.choose(Results("rgnn-search").rows))
