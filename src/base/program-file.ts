import { extname, join } from 'node:path';

/** The modules that are started by themselves, as processes or threads: each is also a file of what is published. */
export const programs = [
  'agents/acp/client',
  'agents/claude/permission-hook',
  'agents/scripted/player',
  'store/sqlite/heartbeat-worker',
  'store/sqlite/upkeep-worker',
  'workspaces/delivery/deliver-main',
  'workspaces/remote/relay-main',
] as const;

/** This file is one folder below the root in both: `src/base` and, in what was built, `dist/chunks`. */
const root = join(import.meta.dirname, '..');

/** Where to start it from: the source, if this is a source too, or else what was built of it. */
export function programFile(name: (typeof programs)[number]): string {
  return join(root, `${name}${extname(import.meta.filename)}`);
}

/** The command line itself, beside the sources and beside what was built. */
export const pitonProgram = join(root, '../bin/piton.js');
