export { makeFileCare } from './carry-files.ts';
export { makeUpkeep } from './upkeep.ts';
