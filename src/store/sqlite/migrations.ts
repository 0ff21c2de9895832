/** Marks the file as ours ('Pito'), so that the database of another program is never taken over. */
export const applicationId = 0x5069746f;

/**
 * Each takes the schema from its index to the next, in one transaction. Never changed once released: a store made by an
 * old version has been through the old text. Times are REAL because they are milliseconds that may have a fraction.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE runs (
    run           TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL,
    hash          TEXT NOT NULL,
    incarnation   INTEGER NOT NULL,
    created_at    REAL NOT NULL,
    updated_at    REAL NOT NULL,
    workflow      TEXT NOT NULL,
    workflow_hash TEXT NOT NULL,
    status        TEXT NOT NULL,
    settled       INTEGER NOT NULL,
    total         INTEGER NOT NULL,
    wake_at       REAL,
    reason        TEXT
  ) STRICT;
  -- Only of what never changes: an index on the status would be rewritten by every commit.
  CREATE INDEX runs_by_age ON runs (created_at, run);

  -- With row ids, as runs has, though every read is by run: what runs at the same time commit lies together, so that
  -- a group of commits writes a few pages instead of one or two for each run.
  CREATE TABLE commits (
    run  TEXT NOT NULL,
    seq  INTEGER NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  ) STRICT;

  CREATE TABLE quarantine (
    number INTEGER PRIMARY KEY,
    run    TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    body   TEXT NOT NULL,
    hash   TEXT NOT NULL
  ) STRICT;
  CREATE INDEX quarantine_by_run ON quarantine (run);

  CREATE TABLE snapshots (
    run    TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    hash   TEXT NOT NULL,
    format INTEGER NOT NULL,
    text   TEXT NOT NULL,
    PRIMARY KEY (run, seq)
  ) STRICT;

  CREATE TABLE blobs (
    hash TEXT PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE blob_refs (
    run  TEXT NOT NULL,
    seq  INTEGER NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (run, seq, hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX blob_refs_by_hash ON blob_refs (hash, run);

  -- A free lease keeps its row, because its epoch must never go back.
  CREATE TABLE leases (
    name       TEXT PRIMARY KEY,
    epoch      INTEGER NOT NULL,
    owner      TEXT,
    token      TEXT,
    taken_at   REAL NOT NULL,
    expires_at REAL NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE inbox (
    number  INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE,
    run     TEXT NOT NULL,
    at      REAL NOT NULL,
    command TEXT NOT NULL,
    answer  TEXT
  ) STRICT;
  CREATE INDEX inbox_undecided ON inbox (run, number) WHERE answer IS NULL;
  CREATE INDEX inbox_by_run ON inbox (run);
  `,
  // What agents have used by day, as JSON: few runs have it, and it is only read to be summed up.
  `ALTER TABLE runs ADD COLUMN spent TEXT;`,
  // How many places of its own a run has left: whoever looks after them need not read all journals.
  `ALTER TABLE runs ADD COLUMN places INTEGER;`,
  // Commits and references to blobs name their run by number: ids of runs are random, so that an index on them changes
  // a page for each commit of a group. The column has another name than before, so that an older process which is still at work fails
  // instead of finding nothing. A commit without its run is kept where people look for what was moved aside.
  `
  CREATE TABLE numbered_runs (
    number        INTEGER PRIMARY KEY,
    run           TEXT NOT NULL UNIQUE,
    seq           INTEGER NOT NULL,
    hash          TEXT NOT NULL,
    incarnation   INTEGER NOT NULL,
    created_at    REAL NOT NULL,
    updated_at    REAL NOT NULL,
    workflow      TEXT NOT NULL,
    workflow_hash TEXT NOT NULL,
    status        TEXT NOT NULL,
    settled       INTEGER NOT NULL,
    total         INTEGER NOT NULL,
    wake_at       REAL,
    reason        TEXT,
    spent         TEXT,
    places        INTEGER
  ) STRICT;
  INSERT INTO numbered_runs (run, seq, hash, incarnation, created_at, updated_at, workflow, workflow_hash, status,
                             settled, total, wake_at, reason, spent, places)
  SELECT run, seq, hash, incarnation, created_at, updated_at, workflow, workflow_hash, status,
         settled, total, wake_at, reason, spent, places
  FROM   runs ORDER BY created_at, run;
  DROP TABLE runs;
  ALTER TABLE numbered_runs RENAME TO runs;
  CREATE INDEX runs_by_age ON runs (created_at, run);

  CREATE TABLE numbered_commits (
    run_number INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    body       TEXT NOT NULL,
    hash       TEXT NOT NULL,
    PRIMARY KEY (run_number, seq)
  ) STRICT;
  INSERT INTO numbered_commits (run_number, seq, body, hash)
  SELECT runs.number, commits.seq, commits.body, commits.hash
  FROM   commits JOIN runs ON runs.run = commits.run ORDER BY commits.rowid;
  INSERT INTO quarantine (run, seq, body, hash)
  SELECT run, seq, body, hash FROM commits
  WHERE  run NOT IN (SELECT run FROM runs) ORDER BY run, seq;
  DROP TABLE commits;
  ALTER TABLE numbered_commits RENAME TO commits;

  CREATE TABLE numbered_blob_refs (
    run_number INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    hash       TEXT NOT NULL,
    PRIMARY KEY (run_number, seq, hash)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO numbered_blob_refs (run_number, seq, hash)
  SELECT runs.number, blob_refs.seq, blob_refs.hash
  FROM   blob_refs JOIN runs ON runs.run = blob_refs.run ORDER BY 1, 2, 3;
  DROP TABLE blob_refs;
  ALTER TABLE numbered_blob_refs RENAME TO blob_refs;
  CREATE INDEX blob_refs_by_hash ON blob_refs (hash, run_number);
  `,
  // Of what lists decide by. The function is there while a store is migrated.
  `
  ALTER TABLE runs ADD COLUMN seal TEXT NOT NULL DEFAULT '';
  UPDATE runs SET seal = seal_of(run, seq, hash, updated_at, workflow, workflow_hash, status, settled, total, wake_at,
                                 reason, spent, places);
  `,
  // What every commit changes is written with the commit, and the row of its run only when something else has changed. All
  // commits of a run are given what the last one said. What was not believed before is not believed afterwards: seals that were
  // broken, and those of journals that do not end where the row said, stay broken. Numbers of commits are a column, so that
  // they stay what they are when the file is made anew.
  `
  CREATE TABLE rows_of_runs (
    number        INTEGER PRIMARY KEY,
    run           TEXT NOT NULL UNIQUE,
    as_of         INTEGER NOT NULL,
    incarnation   INTEGER NOT NULL,
    created_at    REAL NOT NULL,
    workflow      TEXT NOT NULL,
    workflow_hash TEXT NOT NULL,
    status        TEXT NOT NULL,
    wake_at       REAL,
    reason        TEXT,
    spent         TEXT,
    places        INTEGER,
    seal          TEXT NOT NULL
  ) STRICT;
  INSERT INTO rows_of_runs
  SELECT number, run, seq, incarnation, created_at, workflow, workflow_hash, status, wake_at, reason, spent, places,
         iif(seal = seal_of(run, seq, hash, updated_at, workflow, workflow_hash, status, settled, total, wake_at, reason, spent, places)
             AND EXISTS (SELECT 1 FROM commits
                         WHERE commits.run_number = runs.number AND commits.seq = runs.seq AND commits.hash = runs.hash),
             row_seal_of(run, seq, workflow, workflow_hash, status, wake_at, reason, spent, places), '')
  FROM   runs ORDER BY number;

  -- The body comes last: what is read of the end of a journal lies before it.
  CREATE TABLE commits_with_heads (
    number     INTEGER PRIMARY KEY,
    run_number INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    hash       TEXT NOT NULL,
    at         REAL NOT NULL,
    settled    INTEGER NOT NULL,
    total      INTEGER NOT NULL,
    seal       INTEGER NOT NULL,
    body       TEXT NOT NULL,
    UNIQUE (run_number, seq)
  ) STRICT;
  INSERT INTO commits_with_heads
  SELECT commits.rowid, run_number, commits.seq, commits.hash, ifnull(updated_at, 0), ifnull(settled, 0), ifnull(total, 0),
         iif(commits.seq <= as_of AND rows_of_runs.seal <> '',
             head_seal_of(runs.run, commits.seq, commits.hash, updated_at, settled, total), 0),
         body
  FROM   commits LEFT JOIN runs ON runs.number = run_number LEFT JOIN rows_of_runs ON rows_of_runs.number = run_number
  ORDER BY commits.rowid;

  DROP TABLE runs;
  ALTER TABLE rows_of_runs RENAME TO runs;
  CREATE INDEX runs_by_age ON runs (created_at, run);
  DROP TABLE commits;
  ALTER TABLE commits_with_heads RENAME TO commits;
  `,
  // What operators say of a run, as JSON; most runs have none. Seals without it stay as they are: see `sealOfRow`.
  `ALTER TABLE runs ADD COLUMN about TEXT;`,
];
