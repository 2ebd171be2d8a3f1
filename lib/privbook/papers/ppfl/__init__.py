"""PPFL-GNN: clients that share public nodes, and what their uploads are good for and give away (chapter 11)."""
