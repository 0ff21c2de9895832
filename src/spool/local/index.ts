export { Spool, type SpoolOptions } from './spool.ts';
