export { insideOf } from './environment.ts';
export type { JournalHead } from './heads.ts';
export { blankExit, files as spoolFiles, readExit, readWrapper } from './layout.ts';
export type { Ending, Exit, Sighting, SpoolOrder, WrittenOrder } from './order.ts';
export { isCarried } from './process-table.ts';
export { Spool, type SpoolOptions } from './spool.ts';
export { watcherRoundMs, watcherText, wrapperText } from './wrapper.ts';
