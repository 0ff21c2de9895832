export { makeUpkeep } from './upkeep.ts';
