"""Write the hyperparameters of chapter 7 from the ledger of its search: run it after `privgraph reproduce rgnn-search`."""

import csv

from privgraph.experiments import EXPERIMENTS, rows_of
from privgraph.experiments.catalogue import rgnn, rgnn_search

with open(rgnn.CHOSEN, "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, rgnn_search.WHERE + rgnn_search.TUNED, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rgnn_search.choose(rows_of(EXPERIMENTS["rgnn-search"])))
