"""Write the hyperparameters of chapter 7 from the ledger of its search:
run it after `privgraph reproduce rgnn-search`."""

import csv

from privgraph.experiments import Results
from privgraph.experiments.catalogue.rgnn import search, tables

with open(tables.CHOSEN, "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, search.WHERE + search.TUNED, lineterminator="\n")
    writer.writeheader()
    writer.writerows(search.choose(Results("rgnn-search").rows))
