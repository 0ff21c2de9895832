import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** So many at once keep others waiting for a few milliseconds. */
const pagesPerStep = 512;

/** Node refuses whole rows for one number beyond its own: as a text it is a column that is wrong, and can be named. */
const safe = (column: string, name = column): string =>
  `iif(${column} NOT BETWEEN -9007199254740991 AND 9007199254740991, CAST(${column} AS TEXT), ${column}) AS ${name}`;
/** A run with the last commit of its journal. */
const runRecord = `
    SELECT runs.run, ${safe('as_of')}, ${safe('incarnation')}, created_at, workflow, workflow_hash, status, wake_at, reason,
           spent, ${safe('places')}, about, runs.seal, ${safe('head.seq', 'seq')}, head.hash, head.at,
           ${safe('head.settled', 'settled')}, ${safe('head.total', 'total')}, ${safe('head.seal', 'head_seal')}
    FROM   runs LEFT JOIN commits AS head
    ON     head.number = (SELECT number FROM commits WHERE run_number = runs.number ORDER BY seq DESC LIMIT 1)`;

const listRuns = (isOnPage: string): string => `
    ${runRecord}
    WHERE  ${isOnPage}
    AND    (:statuses IS NULL OR status IN (SELECT value FROM json_each(:statuses))
            OR substr(runs.seal, 1, length(status) + 1) IS NOT status || ':')
    AND    (:workflow IS NULL OR workflow = :workflow)
    AND    (:prefix IS NULL OR substr(run, 1, length(:prefix)) = :prefix)
    AND    (:spentOn IS NULL OR (spent IS NOT NULL AND (:spentOn = 'any' OR instr(spent, '"' || :spentOn || '"') > 0)))
    AND    (:hasPlaces IS NULL OR places > 0)
    AND    (:hasAbout IS NULL OR about IS NOT NULL)
    ORDER BY created_at DESC, runs.run DESC`;

/**
 * Every statement of the adapter, whole and constant. Those that starting a run and each commit need have numbered
 * parameters, which bind in a third of the time that named ones take; all others are named.
 */
const sql = {
  begin: `BEGIN IMMEDIATE`,
  commit: `COMMIT`,
  rollback: `ROLLBACK`,
  openSavepoint: `SAVEPOINT change`,
  releaseSavepoint: `RELEASE change`,
  undoSavepoint: `ROLLBACK TO change`,
  dataVersion: `PRAGMA data_version`,
  pageCount: `PRAGMA page_count`,
  freePageCount: `PRAGMA freelist_count`,
  maxPageCount: `PRAGMA max_page_count`,
  pageSize: `PRAGMA page_size`,
  autoVacuum: `PRAGMA auto_vacuum`,
  /** Gives a row for each page: all of them have to be read. */
  freePages: `PRAGMA incremental_vacuum(${pagesPerStep})`,
  userVersion: `PRAGMA user_version`,
  /** Removed runs leave a commit of no run behind. */
  figures: `
    SELECT (SELECT count(*) FROM commits WHERE run_number > 0) AS commits, (SELECT count(*) FROM blobs) AS blobs,
           (SELECT count(*) FROM snapshots) AS snapshots, (SELECT count(*) FROM quarantine) AS quarantined,
           (SELECT min(created_at) FROM runs) AS oldest,
           (SELECT at FROM commits WHERE run_number > 0 ORDER BY number DESC LIMIT 1) AS newest`,
  runsByStatus: `SELECT status, count(*) AS count FROM runs GROUP BY status ORDER BY status`,
  /** Copies the log into the database and syncs both. */
  checkpoint: `PRAGMA wal_checkpoint(FULL)`,

  /** Its number is of no row that was left behind by a run which is gone. */
  insertRun: `
    INSERT INTO runs (number, run, as_of, workflow, workflow_hash, status, wake_at, reason, spent, places, about,
                      seal, incarnation, created_at)
    VALUES (1 + max(ifnull((SELECT max(number) FROM runs), 0), ifnull((SELECT max(run_number) FROM commits), 0),
                    ifnull((SELECT max(run_number) FROM blob_refs), 0)), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 1, ?12)
    ON CONFLICT (run) DO NOTHING`,
  importIncarnation: `UPDATE runs SET incarnation = :incarnation WHERE run = :run`,
  writeRun: `
    UPDATE runs
    SET    as_of = ?2, workflow = ?3, workflow_hash = ?4, status = ?5, wake_at = ?6, reason = ?7, spent = ?8, places = ?9,
           about = ?10, seal = ?11
    WHERE  run = ?1`,
  /**
   * The right to write, the place in the journal and the commit in one statement: whoever lost either has no run to write to, and
   * adds no row. Not as INSERT from SELECT, which would copy it once more, since the table it reads is the one it writes.
   */
  appendCommit: `
    INSERT OR IGNORE INTO commits (run_number, seq, hash, at, settled, total, seal, body)
    VALUES ((SELECT number FROM runs
             WHERE  run = ?1
             AND    EXISTS (SELECT 1 FROM commits WHERE run_number = runs.number AND seq = ?2 - 1)
             AND    EXISTS (SELECT 1 FROM leases WHERE name = ?9 AND token = ?10 AND expires_at > ?11)),
            ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
  /** Without a number, the one after the highest. */
  insertCommit: `
    INSERT INTO commits (run_number, seq, hash, at, settled, total, seal, body, number)
    SELECT number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM runs WHERE run = ?1`,
  readCommits: `
    SELECT seq, body, hash FROM commits
    WHERE  run_number = (SELECT number FROM runs WHERE run = :run) AND seq > :after
    ORDER BY seq LIMIT :limit`,
  findCommitHash: `
    SELECT hash FROM commits WHERE run_number = (SELECT number FROM runs WHERE run = :run) AND seq = :seq`,
  newestNumber: `SELECT ifnull(max(number), 0) AS number FROM commits WHERE number <= 9007199254740991`,
  /** What is damaged is left out, and named by whoever looks for damage: it must not keep the rest from being told. */
  findNumber: `SELECT number, hash FROM commits WHERE number = :number`,
  readChanges: `
    SELECT commits.number, commits.hash, iif(run_number = 0, body, runs.run) AS run, iif(run_number = 0, NULL, commits.seq) AS seq
    FROM   commits LEFT JOIN runs ON runs.number = run_number
    WHERE  commits.number > :after AND commits.number <= 9007199254740991
    AND    (run_number = 0 OR (typeof(runs.run) = 'text' AND commits.seq BETWEEN 1 AND 9007199254740991))
    ORDER BY commits.number LIMIT :limit`,
  insertRemoval: `
    INSERT INTO commits (number, run_number, seq, hash, at, settled, total, seal, body)
    VALUES (:seq, 0, :seq, '', :at, 0, 0, :seal, :run)`,
  findRun: `${runRecord} WHERE runs.run = :run`,
  knowsRun: `SELECT 1 FROM runs WHERE run = :run`,
  listRunIds: `SELECT run FROM runs WHERE typeof(run) = 'text' ORDER BY created_at DESC, run DESC`,
  listRuns: listRuns('1 = 1'),
  /** Not one for both: with a condition that may be absent, all pages before would be looked through. */
  listRunsBefore: listRuns('(created_at, runs.run) < (:createdAt, :before)'),
  /** Only while the journal ends where it was read to. */
  rebuildRun: `
    UPDATE runs
    SET    as_of = ?2, workflow = ?3, workflow_hash = ?4, status = ?5, wake_at = ?6, reason = ?7, spent = ?8, places = ?9,
           about = ?10, seal = ?11, created_at = ?12, incarnation = ?13
    WHERE  run = ?1
    AND    EXISTS (SELECT 1 FROM commits WHERE run_number = runs.number AND seq = ?2 AND hash = ?14)
    AND    NOT EXISTS (SELECT 1 FROM commits WHERE run_number = runs.number AND seq > ?2)`,
  rebuildHead: `
    UPDATE commits SET at = ?3, settled = ?4, total = ?5, seal = ?6
    WHERE  run_number = (SELECT number FROM runs WHERE run = ?1) AND seq = ?2`,

  insertSnapshot: `
    INSERT INTO snapshots (run, seq, hash, format, text)
    SELECT run, :seq, :hash, :format, :text FROM runs WHERE run = :run
    ON CONFLICT (run, seq) DO UPDATE SET hash = excluded.hash, format = excluded.format, text = excluded.text`,
  dropOldSnapshots: `
    DELETE FROM snapshots
    WHERE  run = :run
    AND    seq NOT IN (SELECT seq FROM snapshots WHERE run = :run ORDER BY seq DESC LIMIT 2)`,
  loadSnapshot: `
    SELECT seq, hash, format, text FROM snapshots
    WHERE  run = :run AND seq <= :upTo
    ORDER BY seq DESC LIMIT 1`,

  /** One that is there already is only written if it is damaged: what is done anew after a repair must not refer to that. */
  insertBlob: `
    INSERT INTO blobs (hash, text) VALUES (?1, ?2)
    ON CONFLICT (hash) DO UPDATE SET text = excluded.text WHERE text <> excluded.text`,
  insertBlobRef: `
    INSERT INTO blob_refs (run_number, seq, hash) SELECT number, ?2, ?3 FROM runs WHERE run = ?1
    ON CONFLICT DO NOTHING`,
  /** Only if it is there. */
  linkBlob: `
    INSERT INTO blob_refs (run_number, seq, hash) SELECT number, ?2, blobs.hash FROM runs, blobs WHERE run = ?1 AND blobs.hash = ?3
    ON CONFLICT DO NOTHING`,
  hasBlob: `SELECT 1 FROM blobs WHERE hash = :hash`,
  readBlob: `SELECT text FROM blobs WHERE hash = :hash`,
  /** Blobs that only this run refers to, but for those to keep. */
  dropOwnBlobs: `
    DELETE FROM blobs
    WHERE  hash IN (SELECT hash FROM blob_refs WHERE run_number = (SELECT number FROM runs WHERE run = :run))
    AND    hash NOT IN (SELECT value FROM json_each(:keep))
    AND    NOT EXISTS (SELECT 1 FROM blob_refs AS other WHERE other.hash = blobs.hash
                       AND other.run_number <> (SELECT number FROM runs WHERE run = :run))`,
  dropBlobRefs: `
    DELETE FROM blob_refs
    WHERE  run_number = (SELECT number FROM runs WHERE run = :run)
    AND    hash NOT IN (SELECT value FROM json_each(:keep))`,

  findLeases: `SELECT * FROM leases WHERE name IN (SELECT value FROM json_each(:names))`,
  heldLeases: `SELECT owner FROM leases WHERE token IS NOT NULL AND expires_at > :now`,
  putLease: `
    INSERT INTO leases (name, epoch, owner, token, taken_at, expires_at)
    VALUES (?1, 1, ?2, ?3, ?4, ?5)
    ON CONFLICT (name) DO UPDATE
    SET    epoch = epoch + 1, owner = excluded.owner, token = excluded.token,
           taken_at = excluded.taken_at, expires_at = excluded.expires_at
    RETURNING epoch`,
  /** Free: its epoch goes on from there. */
  importEpoch: `
    INSERT INTO leases (name, epoch, taken_at, expires_at) VALUES (:name, :epoch, 0, 0)
    ON CONFLICT (name) DO UPDATE SET epoch = max(epoch, excluded.epoch)`,
  freeLease: `
    UPDATE leases SET owner = NULL, token = NULL, expires_at = 0 WHERE name = ?1 AND token = ?2`,

  insertCommand: `
    INSERT INTO inbox (id, run, at, command, answer) VALUES (:id, :run, :at, :command, :answer)
    ON CONFLICT (id) DO NOTHING`,
  pendingCommands: `SELECT * FROM inbox WHERE run = :run AND answer IS NULL ORDER BY number`,
  /** However many runs are asked for: there are hardly ever more than a few, and they have an index of their own. */
  allPendingCommands: `
    SELECT * FROM inbox INDEXED BY inbox_undecided WHERE answer IS NULL ORDER BY number`,
  findCommand: `SELECT * FROM inbox WHERE id = :id`,
  answerCommand: `UPDATE inbox SET answer = :answer WHERE id = :id AND run = :run AND answer IS NULL`,
  answerLeftOver: `UPDATE inbox SET answer = ?2 WHERE run = ?1 AND answer IS NULL`,

  moveAside: `
    INSERT INTO quarantine (run, seq, body, hash)
    SELECT :run, seq, body, hash FROM commits
    WHERE  run_number = (SELECT number FROM runs WHERE run = :run) AND seq > :seq ORDER BY seq`,
  insertAside: `INSERT INTO quarantine (run, seq, body, hash) VALUES (:run, :seq, :body, :hash)`,
  cutCommits: `DELETE FROM commits WHERE run_number = (SELECT number FROM runs WHERE run = :run) AND seq > :seq`,
  cutSnapshots: `DELETE FROM snapshots WHERE run = :run AND seq > :seq`,
  cutRun: `UPDATE runs SET incarnation = incarnation + 1 WHERE run = :run`,
  quarantined: `SELECT seq, body, hash FROM quarantine WHERE run = :run ORDER BY number`,

  runsUnchangedSince: `
    SELECT run FROM runs
    WHERE  (SELECT at FROM commits WHERE run_number = runs.number ORDER BY seq DESC LIMIT 1) < :before`,
  dropRun: `DELETE FROM runs WHERE run = :run`,
  dropCommits: `DELETE FROM commits WHERE run_number = (SELECT number FROM runs WHERE run = :run)`,
  dropQuarantine: `DELETE FROM quarantine WHERE run = :run`,
  dropSnapshots: `DELETE FROM snapshots WHERE run = :run`,
  dropCommands: `DELETE FROM inbox WHERE run = :run`,
  dropLease: `DELETE FROM leases WHERE name = :name`,
} as const;

export type Statements = Readonly<Record<keyof typeof sql, StatementSync>>;

/** Each is prepared when it is first used: most commands of the command line need three or four of them. */
export function prepareStatements(database: DatabaseSync): Statements {
  const statements = {} as Record<keyof typeof sql, StatementSync>;
  for (const [name, text] of Object.entries(sql)) {
    Object.defineProperty(statements, name, {
      configurable: true,
      get() {
        const value = database.prepare(text);
        Object.defineProperty(statements, name, { value });
        return value;
      },
    });
  }
  return statements;
}
