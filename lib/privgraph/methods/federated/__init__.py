"""Clients that hold some nodes together and some alone: what they tell each other of the nodes that all hold.

measures    what a client's vectors are good for, of its own rows
"""
