/**
 * So long may the write-ahead log become before it is copied into the database. The same few pages change at every
 * commit: the longer the log, the less is copied. Where every commit is synced, a shorter one pays: syncing a file that
 * grows takes about twice as long as syncing one that is written over.
 */
export const logPages = { full: 400, process: 4_000 } as const;
