'''A federation under Flower: ``Server.combine`` as the strategy of a ServerApp, and ClientApps that hold a file each.

Flower is the optional extra ``federated``. An app for it is a folder with two files. ``app.py``::

    from privgraph.federate.flower import client_of, server_of
    from privgraph.methods import FederatedDeepWalk

    method = FederatedDeepWalk(rounds=2)
    server_app = server_of(method, clients=4)
    client_app = client_of(method)

and ``pyproject.toml``::

    [project]
    name = "federation"
    version = "1.0.0"
    license = "MIT"

    [tool.flwr.app]
    publisher = "me"

    [tool.flwr.app.components]
    serverapp = "app:server_app"
    clientapp = "app:client_app"

A SuperNode is told its client's file with ``--node-config 'part="/where/it/is/client-0.pt"'``; ``seed=7`` there makes
its coins repeatable, and ``save="vectors.npy"`` writes the vectors in the end. Flower starts a new process for each
message, so in between a client's state lies beside its file, readable by its owner alone: tensors and numbers, which
run nothing when they are read. One that was left out leaves that file, ``.client-0.pt.RUN``, behind.

Whoever may submit an app to the SuperLink runs its code at every SuperNode, beside the file: Flower protects clients
from each other, and not from that one. It also sends the text of a client's error to the server, which may speak of
private data; the apps made here do not.
'''

import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

from ..checks import check_count, check_is, check_positive
from ..methods import Federation, Round, Server
from ..methods.files import read, write
from ..methods.guard import guarded
from ..randomness import coins
from ..writing import PRIVATE
from .memory import owned
from .part_files import load_part, save_vectors

try:
    from flwr.app import ArrayRecord, ConfigRecord, Context, Message, RecordDict
    from flwr.clientapp import ClientApp
    from flwr.serverapp import Grid, ServerApp
    from flwr.serverapp.strategy import Strategy
except ImportError:  # ``needed`` says so
    Strategy, Grid, Message, Context = object, object, object, object

WORD = "federation"  # the record of a message that is ours


def server_of(method: Federation, clients: int, *, seed: int | None = None, timeout: float = 600.0,
              tell: Callable[[Round], None] | None = None) -> "ServerApp":
    """What Flower runs at the SuperLink.

    :param clients: how many SuperNodes are waited for.
    :param seed: of the server's coins; without one they are drawn by the operating system.
    :param timeout: seconds to wait for SuperNodes, and for the messages of a round. Who is not heard of in time is
        left out from then on.
    :param tell: what is done with each round; by default who was left out is printed.
    :raises ImportError: where Flower is not installed.
    """
    check_is(needed(method), "method", Federation), check_positive(timeout, "timeout")
    check_count(clients, "clients", low=1)
    app = ServerApp()

    @app.main()
    def main(grid: Grid, context: Context) -> None:
        strategy = Combine(method.server(coins(seed)), clients, method.rounds, said if tell is None else tell)
        strategy.wait(grid, timeout)
        strategy.start(grid, ArrayRecord(), method.rounds, timeout)
    return app


def client_of(method: Federation) -> "ClientApp":
    """What Flower runs at each SuperNode.

    :raises ImportError: where Flower is not installed.
    """
    check_is(needed(method), "method", Federation)
    app = ClientApp()
    for phase in (app.train, app.evaluate):
        phase()(lambda message, context: turn(method, message, context))
    return app


def needed(method):
    if Strategy is object:
        raise ImportError("Flower is needed and not installed: pip install 'privgraph[federated]'")
    return method


def said(told: Round) -> None:
    print(f"{len(told.messages)} messages; left out: {dict(told.left_out) or 'nobody'}", flush=True)


class Combine(Strategy):
    """Each round asks every client for its message, and brings along the answer to the one before.

    After the last, what Flower calls evaluation brings the last answers.
    """

    def __init__(self, server: Server, clients: int, rounds: int, tell: Callable[[Round], None]):
        self.server, self.clients, self.rounds, self.tell = server, clients, rounds, tell
        self.nodes: dict[int, int | None] = {}  # a SuperNode's number -> its client's, once it is heard
        self.gone: dict[int, str] = {}
        self.replies: dict[int, bytes] = {}  # by client

    def wait(self, grid: Grid, timeout: float) -> None:
        last = time.monotonic() + timeout
        while len(found := list(grid.get_node_ids())) < self.clients and time.monotonic() < last:
            time.sleep(0.5)
        self.nodes = dict.fromkeys(sorted(found))

    def configure_train(self, server_round: int, arrays, config, grid) -> list[Message]:
        return self.messages("train", server_round)

    def configure_evaluate(self, server_round: int, arrays, config, grid) -> list[Message]:
        return self.messages("evaluate", server_round) if server_round == self.rounds else []

    def messages(self, phase: str, number: int) -> list[Message]:
        """To those that are still there, with the answer where there is one."""
        told = {node: {"answer": self.replies[client]} if client in self.replies else {}
                for node, client in self.nodes.items()}
        return [Message(RecordDict({WORD: ConfigRecord({"round": number, **answer})}), node, phase)
                for node, answer in told.items()]

    def aggregate_train(self, server_round: int, replies: Iterable[Message]) -> tuple[None, None]:
        received = dict(filter(None, map(self.received, replies)))
        for node in self.nodes.keys() - received.keys():
            client = self.nodes.pop(node)
            if client is not None:
                self.gone[client] = "its SuperNode gave no message"
        messages = dict(sorted((self.nodes[node], message) for node, message in received.items()))
        told, failed = guarded(self.server.combine, messages)
        told = Round(messages, {}, {}) if told is None else told
        never = dict.fromkeys(range(self.clients), "no message ever came from it")
        away = {client: why for client, why in (never | self.gone).items() if client not in messages}
        self.replies = dict(told.replies)
        self.tell(Round(messages, told.replies, {**told.left_out, **failed, **away}))
        return None, None

    def received(self, reply: Message) -> tuple[int, bytes] | None:
        """The SuperNode and its message, where the reply is one of a client that nobody else is."""
        node = reply.metadata.src_node_id
        record = {} if reply.has_error() else dict(reply.content.get(WORD, {}))
        client, message = record.get("client"), record.get("message")
        if not isinstance(message, bytes) or client not in range(self.clients) or node not in self.nodes:
            return None
        if client in (other for at, other in self.nodes.items() if at != node):
            return None
        self.nodes[node] = client
        return node, message

    def aggregate_evaluate(self, server_round: int, replies: Iterable[Message]) -> None:
        list(replies)

    def summary(self) -> None:
        pass


def turn(method: Federation, message: Message, context: Context) -> Message:
    """A client's turn: takes the last answer, and says something where it is asked to. What fails is printed here."""
    try:
        reply = answer(method, dict(message.content[WORD]), message.metadata.message_type, context)
    except Exception:
        traceback.print_exc()
        reply = {"failed": True}
    return Message(RecordDict({WORD: ConfigRecord(reply)}), reply_to=message)


def answer(method: Federation, told: dict, phase: str, context: Context) -> dict:
    part = load_part(path := Path(context.node_config["part"]))
    state, generator = path.with_name(f".{path.name}.{context.run_id}"), coins(context.node_config.get("seed"))
    if state.exists():
        client = method.resumed(part, generator, read(owned(state), "state of a client"))
    else:
        client = method.client(part, generator)
    if "answer" in told:
        client.receive(told["answer"])
    if phase == "train":
        message = client.send()
        write(client.state(), state, PRIVATE)
        return {"client": part.client, "message": message}
    state.unlink(missing_ok=True)
    if "save" in context.node_config:
        save_vectors(client.embeddings(), context.node_config["save"])
    return {}
