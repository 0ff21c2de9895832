export { insideOf } from './environment.ts';
export type { Ending, Exit, Sighting, SpoolOrder } from './order.ts';
export { Spool, type SpoolOptions } from './spool.ts';
