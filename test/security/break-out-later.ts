/** What a contained process leaves behind, so that the next one, or Piton itself, opens to it what it cannot reach. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { findSandbox } from '../../src/sandbox/index.ts';
import { git, openRepository, type RepositoryPlace } from '../support/repository-place.ts';
import { played } from '../support/scripted-place.ts';

export const environment = { ...process.env, PITON_BWRAP: undefined };
export const here = (await findSandbox(environment)).by === 'bubblewrap';

/** Not below a temporary folder, which nobody sees inside. */
export function folderOutside(): string {
  const folder = mkdtempSync(join(homedir(), '.piton-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Plot {
  /** What the agent does, and what then runs in its check. */
  readonly agent?: string;
  readonly check?: string;
  readonly task?: object;
  prepare?(place: RepositoryPlace): void;
}

/** What the check has seen. Nothing of what was planted is brought in, so that nothing is held. */
export async function carryOut({ agent = ':', check = ':', task = {}, prepare }: Plot): Promise<string> {
  const place: RepositoryPlace = await openRepository({ environment });
  prepare?.(place);
  const names = ['dist/', '.claude', '.codex', 'cache', 'home'];
  writeFileSync(join(place.repository, '.git/info/exclude'), names.join('\n'));
  const run = await place.run({
    agent: played([[{ run: agent }, { answer: 'done' }]], {
      sandbox: 'required',
      check: `set +e; { ${check}\n} >seen.txt 2>/dev/null; true`,
      ...task,
    }),
  });
  expect(await run.result()).toEqual({ status: 'succeeded', outputs: { agent: 'done' } });
  return git(place.repository, 'show', 'piton/run:seen.txt');
}

export const record = 'd=$(git rev-parse --git-dir); c=$(git rev-parse --git-common-dir)';
