/**
 * So long may the write-ahead log become before it is copied into the database. The same few pages change at every
 * commit: the longer the log, the less is copied. Where every commit is synced, it is as long as it may become from early on: see `LogAhead`.
 */
export const logPages = { full: 1_000, process: 4_000 } as const;
