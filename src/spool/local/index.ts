export { LocalSpool, type LocalSpoolOptions } from './spool.ts';
