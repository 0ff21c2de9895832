export { blankExit, files as spoolFiles, readExit, readWrapper } from './layout.ts';
export { StoreKey } from './store-key.ts';
export type { Ending, Exit, JournalHead, Sighting, SpoolOrder, WrittenOrder } from './order.ts';
export { Spool, type SpoolOptions } from './local/index.ts';
export { watcherRoundMs, watcherText, wrapperText } from './wrapper.ts';
