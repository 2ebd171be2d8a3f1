"""Which calls of the system are refused in the box: those that take memory which no process is seen to have.

A file in memory without a name, a segment that is shared or a queue of messages counts for no process and for no file
system. Further namespaces would give rights that the box has taken away.
"""

import errno
import platform
import struct

REFUSED = {  # by machine: its number, and those of the calls memfd_create, memfd_secret, shmget, msgget, semget,
    # unshare, setns, io_uring_setup, userfaultfd, bpf, perf_event_open, add_key, request_key, keyctl; clone; clone3
    "x86_64": (0xC000003E, (319, 447, 29, 68, 64, 272, 308, 425, 323, 321, 298, 248, 249, 250), 56, 435),
    "aarch64": (0xC00000B7, (279, 447, 194, 186, 190, 97, 268, 425, 282, 280, 241, 217, 218, 219), 220, 435),
}
NUMBER, MACHINE, FIRST_ARGUMENT = 0, 4, 16  # where in what the filter sees
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NEW_USERS = 0x10000000  # CLONE_NEWUSER
OTHER_TABLE = 0x40000000  # x86_64 has a second table of calls, from here on
ALLOW, REFUSE = 0x7FFF0000, 0x00050000


def program(machine: str = platform.machine()) -> bytes:
    """The filter, as ``bwrap --seccomp`` reads it; empty on a machine whose numbers are not known here.

    :param machine: its name.
    """
    if machine not in REFUSED:
        return b""
    number, refused, clone, clone3 = REFUSED[machine]
    lines = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, number), (RETURN, 0, 0, REFUSE | errno.EPERM),
             (LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, OTHER_TABLE), (RETURN, 0, 0, REFUSE | errno.EPERM)]
    for call in refused:
        lines += [(EQUAL, 0, 1, call), (RETURN, 0, 0, REFUSE | errno.EPERM)]
    lines += [(EQUAL, 0, 1, clone3), (RETURN, 0, 0, REFUSE | errno.ENOSYS),  # the C library takes clone then
              (EQUAL, 0, 3, clone), (LOAD, 0, 0, FIRST_ARGUMENT), (ANY_BIT, 0, 1, NEW_USERS),
              (RETURN, 0, 0, REFUSE | errno.EPERM), (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
