export { attemptMarker, insideOf, isInsideAttempt, refuseInside } from './attempt-marker.ts';
export { manualClock, systemClock, type Clock, type ManualClock } from './clock.ts';
export { cleanLine, cleanText } from './clean-text.ts';
export { crashPoint, crashPointsArmed } from './crash-point.ts';
export { askGit } from './ask-git.ts';
export { deleteTree } from './delete-tree.ts';
export { findTool, isExecutable, withOwnPath } from './find-tool.ts';
export { effect, guarded } from './effect.ts';
export { formatDuration, parseDuration, writtenDuration } from './durations.ts';
export { asError, errorField, errorText, hasCode, messageOf, PitonError } from './errors.ts';
export { countText, moneyText, parseSize, plural, someNames } from './amounts.ts';
export { chainHash, genesis, hashJson, sha256 } from './hash.ts';
export { Heap } from './heap.ts';
export { randomId } from './ids.ts';
export { isInside } from './inside.ts';
export {
  canonicalJson,
  freezeParsed,
  isPlainObject,
  setKey,
  toJson,
  type Json,
  type JsonObject,
} from './json.ts';
export { sealJson } from './frozen-json.ts';
export { markdownOf, proseLineOf, proseOf } from './outside-text.ts';
export { loaderVariables } from './loader-variables.ts';
export { nearest } from './nearest.ts';
export { identityOf, livenessOf, ownIdentity, type ProcessIdentity } from './process-identity.ts';
export {
  commandLineOf,
  hasVariable,
  isCarried,
  isMonitor,
  ownLine,
  processClockMs,
  processesSince,
  startedMs,
  type ProcessEntry,
} from './process-table.ts';
export { pitonProgram, programFile } from './program-file.ts';
export {
  assertOwnFile,
  assertOwnFolder,
  cacheFolder,
  configFolder,
  makePrivateFolder,
  stateFolder,
} from './user-folders.ts';
export { keyIn, readKeyIn, writeOnce } from './key-file.ts';
export { hasControls, visibleName, visibleText } from './visible-text.ts';
export { shellWord } from './shell-word.ts';
export { readBounded } from './read-bounded.ts';
export { stackText } from './stack-text.ts';
