import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../../base/index.ts';
import type { Config } from '../../config/index.ts';

/** Everything in `.piton` is state of this machine, except what people write. */
const ignored = `# Written by Piton: its state stays out of git, your workflows and settings do not.
/*
!/.gitignore
!/config.yaml
!/workflows/
`;

/** Makes `.piton` and keeps its state out of git. Says which files it made. */
export function makeFolder({ folder }: Config): string[] {
  const file = join(folder, '.gitignore');
  if (existsSync(file)) return [];
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(file, ignored, { flag: 'wx' });
    return [file];
  } catch (error) {
    // Another command was faster.
    if (hasCode(error, 'EEXIST')) return [];
    throw error;
  }
}
