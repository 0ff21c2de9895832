export type { HarvestingAttempts, Heads, KeepingAttempts, Spool, WatchingAttempts } from './contract.ts';
export { blankExit, files as spoolFiles, readExit, readWrapper } from './layout.ts';
export { StoreKey } from './store-key.ts';
export type { Ending, Exit, JournalHead, OutputStream, Sighting, SpoolOrder, WrittenOrder } from './order.ts';
export { watcherRoundMs, watcherText, wrapperText } from './wrapper.ts';
