import { existsSync, linkSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { effect, hasCode, isInsideAttempt, messageOf, pitonProgram, randomId } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import type { Piton, PruneOptions, PruneReport } from '../library/index.ts';
import { logFileOf } from './driver-log.ts';
import { writeNew } from './project-folder.ts';
import type { Surroundings } from './surroundings.ts';

/** What the configuration says of runs that go by themselves, from now on; undefined: nothing. */
export function retentionOf({ retention }: Pick<Config, 'retention'>, now: number): PruneOptions | undefined {
  if (retention === undefined) return undefined;
  const { olderThanMs, payloadsAfterMs, keep, maxBytes } = retention;
  return {
    ...(olderThanMs !== undefined && { before: now - olderThanMs }),
    ...(keep !== undefined && { keep }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(payloadsAfterMs !== undefined && { payloadsBefore: now - payloadsAfterMs }),
  };
}

/** Removes runs as asked, and what their drivers have said in the background. */
export async function pruneProject(
  piton: Pick<Piton, 'prune'>,
  { logs }: Config,
  options: PruneOptions,
): Promise<PruneReport> {
  const report = await piton.prune(options);
  if (options.dryRun === true) return report;
  const removed = report.gone
    .filter(({ what }) => what === 'run')
    .map(({ record }) => logFileOf(logs, record.run));
  for (const file of removed) if (file !== undefined) rmSync(file, { force: true });
  return report;
}

/**
 * Starts a process that carries out the retention of the configuration, unless one has done so today: whoever starts a run does not
 * wait for that. Of a store that was named by the caller, the project has nothing to say.
 */
export async function startRetention(
  { config, env }: Surroundings,
  program: readonly string[],
  now: number,
): Promise<void> {
  if (config.retention === undefined || config.isStoreTyped || isInsideAttempt(env)) return;
  if (existsSync(claimOf(config, now))) return;
  const { spawn } = await import('node:child_process');
  const [file = process.execPath, ...first] = program.length > 0 ? program : [process.execPath, pitonProgram];
  const args = [...first, '-C', config.root, 'store', 'prune', '--daily'];
  const child = spawn(file, args, { cwd: config.root, env, detached: true, stdio: 'ignore' });
  // What keeps it from starting keeps nobody from what they want: the next one tries again.
  child.on('error', () => undefined);
  child.unref();
}

/** Carries it out once a day, whoever else tries: undefined if it was done, or is being done, by another. */
export async function retainDaily(
  config: Config,
  now: number,
  prune: (options: PruneOptions) => Promise<PruneReport>,
): Promise<PruneReport | undefined> {
  const options = retentionOf(config, now);
  if (options === undefined || !(await claim(config, now))) return undefined;
  const file = claimOf(config, now);
  try {
    const report = await prune(options);
    note(file, { at: now, runs: report.runs, payloads: report.gone.length - report.runs, ...report.space });
    return report;
  } catch (thrown) {
    note(file, { at: now, error: messageOf(thrown as Error) });
    throw thrown;
  }
}

const prefix = 'retention-';

/** A file for each day, which one process alone can make. */
function claimOf({ folder }: Pick<Config, 'folder'>, now: number): string {
  return join(folder, `${prefix}${new Date(now).toISOString().slice(0, 10)}.json`);
}

async function claim(config: Config, now: number): Promise<boolean> {
  const file = claimOf(config, now);
  const draft = `${file}.${randomId()}`;
  try {
    writeFileSync(draft, `${JSON.stringify({ at: now, pid: process.pid })}\n`, { flag: 'wx', mode: 0o600 });
    await effect('retention.claimed', async () => linkSync(draft, file));
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  forgetEarlier(config.folder, file);
  return true;
}

function forgetEarlier(folder: string, today: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (/^retention-\d{4}-\d\d-\d\d\.json/.test(name) && !file.startsWith(today))
      rmSync(file, { force: true });
  }
}

/** What came of it, for people. */
function note(file: string, result: object): void {
  writeNew(file, `${JSON.stringify(result)}\n`, { replace: true });
}
