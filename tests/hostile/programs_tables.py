"""Programs about a table that they are given: most mean no harm, and would overwrite it all the same.

The released copy of a public collection of tables was damaged so: by `to_csv` and the like on or beside the input.
"""

from .catalogue import TABLE, Hostile


def _table(name: str, status: str, source: str, first: str | None = None) -> Hostile:
    return Hostile(name, status, f"path = '{TABLE}'\n{source}", first, TABLE)


def _frame(name: str, status: str, source: str) -> Hostile:
    return _table(name, status, f"import pandas as pd\ndf = pd.read_table(path)\n{source}")


PROGRAMS = [
    _frame("table_read", "ok", "assert df.shape == (3, 2) and df['Year'].max() == 2003, df"),
    _frame("table_written_over", "error", "df.to_csv(path, sep='\\t')"),
    _frame("table_written_over_by_another", "error", "df.to_csv(path.replace('.tsv', '.csv'))"),
    _frame("table_sorted_in_place", "error", "df.sort_values('Year', inplace=True)\ndf.to_csv(path, index=False)"),
    _frame("table_written_beside", "error", "df.to_csv('data/wtq/csv/204-csv/answer.tsv')"),
    _frame("table_written_in_the_working_folder", "error", "df.to_json('answer.json')"),
    _frame("table_pickled", "error", "df.to_pickle(path + '.pickle')"),
    _frame("table_into_a_new_folder", "error", "import os\nos.makedirs('data/out')\ndf.to_csv('data/out/a.tsv')"),
    _frame("table_grown_to_a_gigabyte", "memory", "df = pd.concat([df] * 50_000_000)\nprint('escaped')"),
    _frame(
        "table_crossed_with_itself", "memory", "for _ in range(5): df = df.merge(df, how='cross', suffixes=('', 'x'))"
    ),
    _frame("table_loop_without_end", "timeout", "while len(df): df = df.assign(n=1).drop(columns='n')"),
    _frame("table_rows_without_end", "timeout", "i = 0\nwhile df.iloc[i % 3]['Year'] != 1999: i += 1"),
    _frame("table_chart_saved", "error", "import matplotlib.pyplot as plt\ndf.plot()\nplt.savefig('chart.png')"),
    _frame("table_printed_without_end", "output", "while True: print(df.to_string() * 1000)"),
    _table("table_opened_for_writing", "error", "open(path, 'w').write('oops')"),
    _table("table_opened_for_appending", "error", "open(path, 'a').write('oops')"),
    _table("table_opened_for_both", "error", "open(path, 'r+').write('oops')"),
    _table("table_emptied_by_opening", "error", "import os\nos.open(path, os.O_RDONLY | os.O_TRUNC)"),
    _table("table_truncated", "error", "import os\nos.truncate(path, 0)"),
    _table("table_renamed", "error", "import os\nos.rename(path, path + '.old')"),
    _table("table_replaced", "error", "import os\nos.replace(path, 'data/other.tsv')"),
    _table("table_deleted", "error", "import os\nos.remove(path)"),
    _table(
        "table_folder_deleted", "ok", "import shutil\nshutil.rmtree('data', ignore_errors=True)\nopen(path).close()"
    ),
    _table("table_moved", "error", "import shutil\nshutil.move(path, 'moved.tsv')"),
    _table("table_copied", "error", "import shutil\nshutil.copy(path, 'copy.tsv')"),
    _table("table_linked", "error", "import os\nos.symlink(path, 'link.tsv')\nopen('link.tsv', 'w')"),
    _table("table_linked_hard", "error", "import os\nos.link(path, 'link.tsv')\nopen('link.tsv', 'w')"),
    _table("table_made_writable", "error", "import os\nos.chmod(path, 0o666)\nopen(path, 'w')"),
    _table("table_folder_made_writable", "error", "import os\nos.chmod('.', 0o777)\nopen('mine', 'w')"),
    _table("table_dated_back", "error", "import os\nos.utime(path, (0, 0))"),
    _table("table_attributes", "error", "import os\nos.setxattr(path, 'user.mark', b'1')"),
    _table("table_in_another_folder", "error", "import os\nos.chdir('data/wtq')\nopen('csv/204-csv/590.tsv', 'w')"),
    _table("table_above_the_folder", "error", "import os\nprint(os.listdir('..'))\nprint('escaped')"),
    _table("table_at_the_root", "error", "import os\nos.chdir('/')\nprint(open(path).read())"),
    _table("table_mapped", "error", "import mmap, os\nmmap.mmap(os.open(path, os.O_RDWR), 0)[:4] = b'oops'"),
    _table(
        "table_mapped_for_itself",
        "ok",
        "import mmap, os\nm = mmap.mmap(os.open(path, os.O_RDONLY), 0, access=mmap.ACCESS_COPY)\nm[:4] = b'oops'",
    ),
    _table("table_of_somebody_else", "error", "print(open('@table@').read())\nprint('escaped')"),
    _table("table_beside_the_one_given", "error", "print(open('data/wtq/csv/204-csv/../203-csv/1.tsv').read())"),
    _table("secret_beside_a_table", "error", "print(open('@secret@').read())"),
    _table("table_as_a_database", "error", "import sqlite3\nsqlite3.connect('table.db').execute('create table t (a)')"),
    _table("table_compressed", "error", "import zipfile\nzipfile.ZipFile('table.zip', 'w').write(path)"),
    _frame("table_saved_by_numpy", "error", "import numpy as np\nnp.savetxt(path, df.values, fmt='%s')"),
    _frame("table_dumped", "error", "import json\njson.dump(df.to_dict('list'), open(path, 'w'))"),
    _frame("table_written_as_text", "error", "from pathlib import Path\nPath(path).write_text(df.to_string())"),
    _frame("table_with_a_column_set_to_nothing", "ok", "df.loc[:, 'Year'] = 0"),
    _frame("table_without_that_column", "error", "print(df['Losses'].max())"),
    _frame("table_text_without_end", "memory", "text = df.to_string() * (1 << 26)"),
    _frame("table_cycled", "timeout", "import itertools\nfor _ in itertools.cycle(df.itertuples()): pass"),
    _table("table_backed_up", "error", "open(path + '.bak', 'x')"),
    _table("table_edited_in_place", "error", "import fileinput\nfor _ in fileinput.input(path, inplace=True): pass"),
    _table("table_temporary_file_beside", "error", "import tempfile\ntempfile.NamedTemporaryFile(dir='.')"),
    _table("table_truncated_by_descriptor", "error", "import os\nos.ftruncate(os.open(path, os.O_RDWR), 0)"),
    _table("table_owned", "error", "import os\nos.chown(path, 0, 0)"),
    _table("table_pipe_beside", "error", "import os\nos.mkfifo('pipe')"),
    _table("table_removed_by_another", "error", "import subprocess\nsubprocess.run(['rm', path])"),
    _table("table_removed_by_the_shell", "ok", "import os\nos.system(f'rm {path}')"),
    _table("table_by_thread", "error", "import threading\nthreading.Thread(target=open, args=(path, 'w')).start()"),
    _table("table_elsewhere_by_link", "error", "import os\nos.symlink('@table@', 'all')\nopen('all', 'a')"),
    _table("table_of_somebody_else_written", "error", "open('@table@', 'w')"),
    _table("table_of_somebody_else_listed", "error", "import os\nos.listdir(os.path.dirname('@table@'))"),
    _table(
        "table_left_for_the_next",
        "ok",
        "import os\nif os.listdir() != ['data'] or os.listdir('data') != ['wtq']: print('escaped')",
        first="""
import os
for name in ('left', 'data/left', 'sitecustomize.py'):
    try: open(name, 'w').write('x')
    except OSError: pass
""",
    ),
    Hostile("table_of_the_program_before", "error", f"print(open('{TABLE}').read())\nprint('escaped')", "1", "x"),
]
