export { insideOf } from './environment.ts';
export type { Ending, Exit, Sighting, SpoolOrder } from './order.ts';
export { isCarried } from './process-table.ts';
export { Spool, type SpoolOptions } from './spool.ts';
