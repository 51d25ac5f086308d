"""Takes what identifies a machine out of a profile that is to be published: names of hosts, folders and GPU serial ids.

Usage: python3 tests/gpu/tidy_recording.py FILE...
Event tables are not touched. Prints each file's size; status 1 when one is larger than 2 MiB.
"""

import os
import re
import sqlite3
import sys

LIMIT_BYTES = 2 * 1024 * 1024
FOLDERS = re.compile(
    r"(?<![\w.])/(?:[^\s/'\":=,;]+/)+"
)  # the folders of an absolute path; its last part stays
KERNEL = re.compile(r"^(\S+ )?(\d+\.\d+)\S*")


def without_folders(text):
    return FOLDERS.sub("", text) if isinstance(text, str) else text


def tidy_columns(connection, table, key, columns):
    """Rewrites text columns of a table without folder names."""
    for row in connection.execute(f"select {key}, {', '.join(columns)} from {table}").fetchall():
        new = [without_folders(value) for value in row[1:]]
        if new != list(row[1:]):
            changes = ", ".join(f"{column} = ?" for column in columns)
            connection.execute(f"update {table} set {changes} where {key} = ?", (*new, row[0]))


def tidy(path):
    connection = sqlite3.connect(path)
    hosts = connection.execute("select id, name, kernel from host order by id").fetchall()
    for index, (row_id, name, kernel) in enumerate(hosts):
        plain = KERNEL.sub(lambda m: (m.group(1) or "") + m.group(2), kernel) if kernel else kernel
        connection.execute(
            "update host set name = ?, kernel = ? where id = ?", (f"gpu-host-{index}", plain, row_id)
        )
        connection.execute("update meta set value = ? where value = ?", (f"gpu-host-{index}", name))
    for (row_id,) in connection.execute("select id from device where uuid is not null").fetchall():
        connection.execute(
            "update device set uuid = ? where id = ?", (f"GPU-00000000-0000-0000-0000-{row_id:012d}", row_id)
        )
    tidy_columns(connection, "process", "id", ["command", "executable", "cupti_path", "environment"])
    tidy_columns(connection, "ledger", "id", ["text", "detail"])
    tidy_columns(connection, "meta", "key", ["value"])
    connection.commit()
    connection.execute("pragma journal_mode = delete")
    connection.execute("vacuum")
    connection.close()
    return os.path.getsize(path)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    too_large = False
    for path in sys.argv[1:]:
        size = tidy(path)
        too_large = too_large or size > LIMIT_BYTES
        print(
            f"{os.path.basename(path)}: {size} bytes{' TOO LARGE for tests/data' if size > LIMIT_BYTES else ''}"
        )
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main())
