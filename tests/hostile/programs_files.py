"""Programs that read what is not theirs, write, delete, or change what they find."""

from .catalogue import Hostile, calls, listed

PROGRAMS = [
    Hostile("read_a_secret", "error", "print(open('@secret@').read())"),
    Hostile("list_a_folder", "error", "import os\nprint(os.listdir('@folder@'))\nprint('escaped')"),
    Hostile("read_the_password_file", "error", "print(open('/etc/passwd').read())\nprint('escaped')"),
    Hostile("read_the_shadow_file", "error", "print(open('/etc/shadow').read())\nprint('escaped')"),
    Hostile("read_own_environment", "ok", "import os\nprint(dict(os.environ))"),
    Hostile("read_environment_as_a_file", "error", "print(open('/proc/self/environ').read())"),
    Hostile("read_the_repository", "error", "print(open('@repository@').read()[:10])\nprint('escaped')"),
    Hostile("write_a_file", "error", "open('@victim@', 'w').write('changed')"),
    Hostile("append_to_a_file", "error", "open('@victim@', 'a').write('changed')"),
    Hostile("truncate_a_file", "error", "import os\nos.truncate('@victim@', 0)"),
    Hostile("truncate_while_reading", "error", "import os\nos.open('@victim@', os.O_RDONLY | os.O_TRUNC)"),
    Hostile("delete_a_file", "error", "import os\nos.unlink('@victim@')"),
    Hostile("delete_a_folder", "ok error", "import shutil\nshutil.rmtree('@folder@', ignore_errors=True)"),
    Hostile("rename_a_file", "error", "import os\nos.rename('@victim@', '@folder@/@mark@')"),
    Hostile("exchange_files", "error", "import os\nos.replace('@secret@', '@victim@')"),
    Hostile("make_a_folder", "error", "import os\nos.mkdir('@folder@/@mark@')"),
    Hostile("make_a_pipe", "error", "import os\nos.mkfifo('@folder@/@mark@')"),
    Hostile("make_a_device", "error", "import os, stat\nos.mknod('@folder@/@mark@', stat.S_IFREG | 0o600)"),
    Hostile("change_permissions", "error", "import os\nos.chmod('@victim@', 0o777)"),
    Hostile("change_owner", "error", "import os\nos.chown('@victim@', os.getuid(), os.getgid())\nprint('escaped')"),
    Hostile("change_times", "error", "import os\nos.utime('@victim@', (0, 0))"),
    Hostile("change_attributes", "error", "import os\nos.setxattr('@victim@', 'user.mark', b'changed')"),
    Hostile("file_in_the_temporary_folder", "error", "open('/tmp/@mark@', 'w')"),
    Hostile("many_files", "error", "for i in range(2000): open(f'/tmp/@mark@{i}', 'w').close()\nprint('escaped')"),
    Hostile("file_in_shared_memory", "error", "open('/dev/shm/@mark@', 'w')"),
    Hostile("write_what_may_be_read", "error", "open('@library@/module.py', 'a').write('poison = 1')"),
    Hostile("add_to_what_may_be_read", "error", "open('@library@/numpy.py', 'w').write('poison = 1')"),
    Hostile("standard_output_as_a_file", "error", "open('/proc/self/fd/1', 'w').write('x')"),
    Hostile("leave_the_working_directory", "error", "import os\nos.chdir('@folder@')\nopen('@mark@', 'w')"),
    *listed(r"""
# read_a_secret_through_the_root: error
import os
os.chdir('/')
print(open('.' + '@secret@').read())
# read_the_supervisors_environment: error
print(open('/proc/@supervisor@/environ').read())
print('escaped')
# read_the_parents_command_line: error
import os
print(open(f'/proc/{os.getppid()}/cmdline').read())
print('escaped')
# list_processes: error
import os
print([name for name in os.listdir('/proc') if name.isdigit()])
print('escaped')
# import_from_the_repository: error
import sys
sys.path.insert(0, '@checkout@')
import tests.hostile.catalogue
print('escaped')
# change_a_mapped_file: error
import mmap, os
m = mmap.mmap(os.open('@victim@', os.O_RDWR), 4)
m[:4] = b'oops'
# symbolic_link: error
import os
os.symlink('@secret@', '@folder@/@mark@')
print(open('@folder@/@mark@').read())
# hard_link: error
import os
os.link('@secret@', '@folder@/@mark@')
print(open('@folder@/@mark@').read())
# link_through_a_descriptor: error
import os
d = os.open('@folder@', os.O_PATH)
os.symlink('x', '@mark@', dir_fd=d)
# change_permissions_of_a_descriptor: error
import os
os.fchmod(os.open('@victim@', os.O_RDONLY), 0o777)
# file_without_a_name: error
import os
f = os.open('/tmp', os.O_TMPFILE | os.O_RDWR)
os.write(f, b'x')
print('escaped')
# temporary_file: error
import tempfile
with tempfile.NamedTemporaryFile() as f: f.write(b'x')
print('escaped')
# huge_file: error
with open('/tmp/@mark@', 'wb') as f:
    for _ in range(64): f.write(bytes(1 << 20))
print('escaped')
# sparse_file: error
import os
f = os.open('/tmp/@mark@', os.O_CREAT | os.O_WRONLY)
os.truncate(f, 1 << 30)
print('escaped')
# shared_memory: error
from multiprocessing import resource_tracker, shared_memory
resource_tracker.register = lambda *a: None
shared_memory.SharedMemory('@mark@', True, 4096)
# dump_core: killed error
import os, resource
os.chdir('@folder@')
try: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1))
except (OSError, ValueError): pass
os.abort()
"""),
    *calls(r"""
# watch_a_folder: ok
if libc.inotify_add_watch(libc.inotify_init(), b'@folder@', 0xfff) > 0: print('escaped')
# write_back_everything: ok
if libc.syncfs(0) == 0: print('escaped')
"""),
]
