export { insideOf } from './environment.ts';
export type { Ending, Exit, OutputPiece, OutputStream, OutputText, Sighting, SpoolOrder } from './order.ts';
export type { FenceResult } from './fence.ts';
export { Spool, type EndedOptions, type FenceOptions, type SpoolOptions } from './spool.ts';
