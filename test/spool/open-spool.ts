import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { randomId, type ProcessIdentity } from '../../src/base/index.ts';
import type { Ending, SpoolOrder, Spool } from '../../src/spool/index.ts';
import { LocalSpool, type LocalSpoolOptions } from '../../src/spool/local/index.ts';
import { exitRecord } from '../../src/spool/layout.ts';
import { StoreKey } from '../../src/spool/store-key.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface TestSpool {
  readonly spool: Spool;
  readonly options: LocalSpoolOptions;
  /** A folder for the commands to work in. */
  readonly place: string;
  order(argv: readonly string[] | string, more?: Partial<SpoolOrder>): SpoolOrder;
  /** As its wrapper would write it. */
  record(attempt: string, code?: number): string;
  /** Prepared and started. */
  begin(argv: readonly string[] | string, more?: Partial<SpoolOrder>): Promise<Begun>;
}

export interface Begun {
  readonly attempt: string;
  readonly order: SpoolOrder;
  readonly process: ProcessIdentity;
  ended(): Promise<Ending | undefined>;
}

/** A spool whose processes are gone when the test is, whatever happened in it. */
export function openSpool(given: Partial<LocalSpoolOptions> = {}): TestSpool {
  const place = temporaryFolder();
  const folder = mkdtempSync(join(tmpdir(), 'piton-spool-'));
  const options: LocalSpoolOptions = {
    folder,
    keys: join(temporaryFolder(), 'keys'),
    graceMs: 200,
    durability: 'process',
    ...given,
  };
  const spool = new LocalSpool(options);
  onTestFinished(async () => {
    for (const attempt of await spool.list()) await spool.fence(attempt, { isGentle: false });
    rmSync(folder, { recursive: true, force: true });
  });
  const order = (argv: readonly string[] | string, more: Partial<SpoolOrder> = {}): SpoolOrder => ({
    attempt: randomId(),
    run: 'run',
    seq: 3,
    task: 'build[ui]',
    number: 2,
    key: 'stable',
    argv: typeof argv === 'string' ? ['sh', '-ec', argv] : argv,
    secrets: [],
    directory: place,
    env: { PATH: process.env['PATH'] ?? '/bin:/usr/bin', ...more.env },
    ...omitEnv(more),
  });
  const begin = async (argv: readonly string[] | string, more: Partial<SpoolOrder> = {}): Promise<Begun> => {
    const made = order(argv, more);
    await spool.prepare(made);
    const wrapper = await spool.start(made);
    const ended = (): Promise<Ending | undefined> => spool.ended(made.attempt, { process: wrapper });
    return { attempt: made.attempt, order: made, process: wrapper, ended };
  };
  const record = (attempt: string, code = 0): string =>
    exitRecord(attempt, {
      code,
      timedOut: false,
      nonce: new StoreKey(options.folder, options.keys).nonceOf(attempt, { code, timedOut: false }),
    });
  return { spool, options, place, order, begin, record };
}

function omitEnv({ env: _, ...more }: Partial<SpoolOrder>): Partial<SpoolOrder> {
  return more;
}

/** Every POSIX shell that is installed here, each once. */
export function shellsHere(): string[] {
  const paths = ['/bin/sh', '/bin/dash', '/bin/bash', busybox() ?? ''].filter(isThere);
  return [...new Map(paths.toReversed().map((path) => [realpathSync(path), path])).values()].toReversed();
}

/** Busybox is what it is called. */
function busybox(): string | undefined {
  const path = ['/bin/busybox', '/usr/bin/busybox'].find(isThere);
  if (path === undefined) return undefined;
  const link = join(mkdtempSync(join(tmpdir(), 'piton-busybox-')), 'sh');
  symlinkSync(path, link);
  return link;
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Asked of the system, not of the code under test. Zombies are dead. */
export function isAlive(pid: number): boolean {
  try {
    const state = execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return state !== '' && !state.startsWith('Z');
  } catch {
    return false;
  }
}

/** Living processes that have the text in their command line. */
export function processesWith(text: string): string[] {
  const all = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => line.includes(text) && !/^\s*\d+ Z/.test(line));
}

/** The pids that commands have written to a file, one in each line. */
export function pidsIn(file: string): number[] {
  return linesOf(file).map(Number);
}

export function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}
