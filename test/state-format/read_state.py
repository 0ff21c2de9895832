"""Reads what Piton stores, by docs/reference/state-format.md alone: a store (SQLite), or an export (tar).

    python3 read_state.py store piton.db
    python3 read_state.py export run.piton

Verifies every hash, checksum and seal, puts big values in their place, and prints, as JSON, for each run: its last commit,
how many events it has, the status of every task that an event names, and what is wrong. Standard library only.
"""

import hashlib
import json
import sqlite3
import sys
import tarfile
import zlib

GENESIS = "0" * 64
APPLICATION_ID = 0x5069746F
STORE_FORMAT = 7
JOURNAL_VERSION = 2
EXPORT_VERSION = 1


def sha256(text):
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode("utf-8")).hexdigest()


class Run:
    """A run as its commits tell it: (seq, hash, body), in order, and a way to its blobs."""

    def __init__(self, name, commits, read_blob):
        self.name = name
        self.commits = commits
        self.read_blob = read_blob
        self.faults = []
        self.tasks = {}
        self.attempts = {}
        self.events = 0
        self.dropped = 0

    def read(self):
        previous_seq, previous_hash = 0, GENESIS
        for seq, digest, body in self.commits:
            if seq != previous_seq + 1:
                self.faults.append(f"commit {previous_seq + 1} is missing")
            if digest != sha256(previous_hash + body):
                self.faults.append(f"commit {seq} is not what was written")
            previous_seq, previous_hash = seq, digest
            commit = json.loads(body)
            if commit["run"] != self.name or commit["seq"] != seq:
                self.faults.append(f"commit {seq} belongs elsewhere")
            if commit["version"] > JOURNAL_VERSION:
                raise ValueError(f"commit {seq} is of journal version {commit['version']}")
            for event in commit["events"]:
                self.apply(self.resolve(seq, event))
        return {
            "seq": previous_seq,
            "hash": previous_hash,
            "events": self.events,
            "dropped": self.dropped,
            "tasks": self.tasks,
            "faults": self.faults,
        }

    def resolve(self, seq, event):
        """Big values stand in `blobs` by name, as the hash of their JSON."""
        for name, digest in event.get("blobs", {}).items():
            text = self.read_blob(digest)
            if text is None:
                self.dropped += 1
                continue
            if sha256(text) != digest:
                self.faults.append(f"commit {seq}: the value {name} is not what was written")
            event["data"][name] = json.loads(text)
        return event

    def apply(self, event):
        self.events += 1
        kind, task, data = event["type"], event.get("task"), event["data"]
        if kind in SETTLED:
            self.tasks[task] = SETTLED[kind]
        elif kind == "attempt.started":
            self.tasks[task] = "running"
            self.attempts[task] = event["attempt"]
        elif kind == "attempt.ended":
            # Unless an event that follows says more, it is to be tried again.
            self.attempts.pop(task, None)
            self.tasks[task] = "waiting"
        elif kind in ("scope.opened", "tasks.expanded"):
            self.tasks[task] = "running"
        elif kind in ("task.held", "gate.opened"):
            self.tasks[task] = "held"
        elif kind == "gate.decided":
            # A function that asks waits in its process, and goes on there.
            self.tasks[task] = "running" if task in self.attempts else "waiting"
        elif kind == "task.delayed":
            self.tasks[task] = "delayed"
        elif kind == "task.released":
            self.tasks[task] = "waiting"
        elif kind in ("run.repaired", "run.imported"):
            for held in data["held"]:
                self.hold(held)
        elif kind == "tasks.reopened":
            self.reopen(data)

    def hold(self, task):
        is_group = self.tasks.get(task) == "running" and task not in self.attempts
        if self.tasks.get(task) not in SETTLED.values() and not is_group:
            self.attempts.pop(task, None)
            self.tasks[task] = "held"

    def reopen(self, data):
        for task in data["tasks"]:
            # What it consisted of is gone.
            for other in [one for one in self.tasks if one.startswith((task + ".", task + "["))]:
                del self.tasks[other]
            self.tasks[task] = "waiting"
        for task in data["continued"]:
            self.tasks[task] = "running"


SETTLED = {
    "task.succeeded": "succeeded",
    "task.failed": "failed",
    "task.skipped": "skipped",
    "task.cancelled": "cancelled",
}


def number_text(value):
    """As JavaScript writes it: 1700000000000, not 1700000000000.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else json.dumps(value)


def seal_of_row(row):
    """The checksum of what lists show of a run. The last column only counts if it is there."""
    values = [row[name] for name in SEALED if not (name == "about" and row[name] is None)]
    texts = [number_text(one) if isinstance(one, (int, float)) else json.dumps(one, ensure_ascii=False) for one in values]
    return f"{row['status']}:{zlib.crc32(('[' + ','.join(texts) + ']').encode('utf-8')):08x}"


SEALED = ["run", "as_of", "workflow", "workflow_hash", "status", "wake_at", "reason", "spent", "places", "about"]


def seal_of_head(run, head):
    text = f"{run} {head['seq']} {head['hash']} {number_text(head['at'])} {head['settled']} {head['total']}"
    return zlib.crc32(text.encode("utf-8"))


def read_store(path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    pragma = lambda name: database.execute(f"PRAGMA {name}").fetchone()[0]
    if pragma("application_id") != APPLICATION_ID:
        raise ValueError("this is no store of Piton")
    if pragma("user_version") != STORE_FORMAT:
        raise ValueError(f"the store has format {pragma('user_version')}, and this reads {STORE_FORMAT}")

    def read_blob(digest):
        row = database.execute("SELECT text FROM blobs WHERE hash = ?", [digest]).fetchone()
        return row and row["text"]

    runs = {}
    for row in database.execute("SELECT * FROM runs ORDER BY created_at, run").fetchall():
        commits = database.execute(
            "SELECT seq, hash, at, settled, total, seal, body FROM commits WHERE run_number = ? ORDER BY seq",
            [row["number"]],
        ).fetchall()
        run = Run(row["run"], [(one["seq"], one["hash"], one["body"]) for one in commits], read_blob)
        if row["seal"] != seal_of_row(row):
            run.faults.append("the seal of its row is broken")
        if commits[-1]["seal"] != seal_of_head(row["run"], commits[-1]):
            run.faults.append("the seal of its last commit is broken")
        if row["as_of"] > commits[-1]["seq"]:
            run.faults.append("its journal does not end where its row says")
        for snapshot in database.execute("SELECT text FROM snapshots WHERE run = ?", [row["run"]]):
            if sha256(snapshot["text"][64:]) != snapshot["text"][:64]:
                run.faults.append("a snapshot is not what was written")
        runs[row["run"]] = {"status": row["status"], **run.read()}
    return runs


def read_export(path):
    members = {}
    with tarfile.open(path, "r:") as archive:
        for member in archive:
            members[member.name] = archive.extractfile(member).read()
    sums = dict(reversed(line.split("  ")) for line in members["SHA256SUMS"].decode().splitlines())
    wrong = [name for name, content in members.items() if name != "SHA256SUMS" and sums.get(name) != sha256(content)]
    if wrong or len(sums) != len(members) - 1:
        raise ValueError(f"checksums are wrong: {wrong}")
    about = json.loads(members["piton-export.json"])
    if about["format"] != "piton-export" or about["version"] > EXPORT_VERSION:
        raise ValueError("this is no export that can be read")
    run = Run(about["run"], list(read_lines(members)), lambda digest: text_of(members.get(f"blobs/{digest}")))
    read = run.read()
    if (read["seq"], read["hash"]) != (about["seq"], about["hash"]):
        run.faults.append("its journal does not end where it says")
    return {about["run"]: read}


def text_of(content):
    return content and content.decode("utf-8")


def read_lines(members):
    for name in sorted(one for one in members if one.startswith("journal/")):
        for line in members[name].decode("utf-8").split("\n")[:-1]:
            head, key, body = split_line(line)
            yield head["seq"], head["hash"], body if key == "commit" else json.loads(body)


def split_line(line):
    """`{"seq":1,"hash":"…","commit":{…}}`: the text of the commit is what was hashed, to the letter."""
    end = line.index(',"commit":') if ',"commit":' in line[:120] else line.index(',"text":')
    key, body = line[end + 2 : -1].split('":', 1)
    return json.loads(line[:end] + "}"), key, body


if __name__ == "__main__":
    _, kind, path = sys.argv
    json.dump({"store": read_store, "export": read_export}[kind](path), sys.stdout)
