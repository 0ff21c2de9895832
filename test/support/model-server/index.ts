export type { Said } from './conversation.ts';
export { startModelServer, type ModelServer } from './server.ts';
