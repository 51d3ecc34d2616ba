"""Programs that talk to somebody: the listeners are the test's own."""

from .catalogue import Hostile, listed

PROGRAMS = [
    Hostile("tcp", "error", "import socket\nsocket.create_connection(('127.0.0.1', @tcp@), 1).send(b'hello')"),
    Hostile("tcp_6", "error", "import socket\nsocket.socket(socket.AF_INET6).connect(('::ffff:127.0.0.1', @tcp@))"),
    Hostile("unix_socket", "error", "import socket\nsocket.socket(socket.AF_UNIX).connect('@unix@')"),
    Hostile("listen_on_a_path", "error", "import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('@folder@/@mark@')"),
    Hostile("look_up_a_name", "error", "import socket\nprint(socket.getaddrinfo('nowhere.invalid', 80))"),
    Hostile("event_loop", "error", "import asyncio\nasyncio.run(asyncio.open_connection('127.0.0.1', @tcp@))"),
    *listed(r"""
# tcp_without_connect: error
import socket
s = socket.socket()
s.sendto(b'hello', 0x20000000, ('127.0.0.1', @tcp@))
# udp: error
import socket
socket.socket(type=socket.SOCK_DGRAM).sendto(b'hello', ('127.0.0.1', @udp@))
# abstract_socket: error
import socket
socket.socket(socket.AF_UNIX).connect('\0@abstract@')
# datagram_from_a_socket_pair: error
import socket
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
a.sendto(b'hello', '@datagram@')
# listen: error
import socket
s = socket.socket()
s.bind(('127.0.0.1', 0))
s.listen()
print('escaped')
# listen_on_an_abstract_name: error
import socket
s = socket.socket(socket.AF_UNIX)
s.bind('\0@mark@')
s.listen()
print('escaped')
# web_request: error
import urllib.request
urllib.request.urlopen('http://127.0.0.1:@tcp@/', timeout=1)
# netlink: error
import socket
socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
print('escaped')
# kernel_cryptography: error
import socket
socket.socket(38, socket.SOCK_SEQPACKET)
print('escaped')
# virtual_machine_socket: error
import socket
socket.socket(40, socket.SOCK_STREAM)
print('escaped')
"""),
]
