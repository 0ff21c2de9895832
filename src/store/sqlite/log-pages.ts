/**
 * So long may the write-ahead log become before it is copied into the database. The same few pages change at every
 * commit: the longer the log, the less is copied. Where every commit is synced, it is made longer ahead of time: see `LogAhead`.
 */
export const logPages = 4_000;
