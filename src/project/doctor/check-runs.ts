import { join } from 'node:path';
import { asError, PitonError, readBounded, plural, messageOf } from '../../base/index.ts';
import type { Piton } from '../../library/index.ts';
import { isFinal } from '../../model/index.ts';
import type { Trusting } from '../surroundings.ts';
import { checkWorkspaces } from './check-workspaces.ts';
import { bad, ok, warn, type DoctorCheck } from './check.ts';

/** A project whose store can be looked into. */
export interface Examined extends Trusting {
  hasStore(): boolean;
  openExisting(): Promise<Piton>;
}

/** The store, and what stands in it. A store that cannot be opened is one line, not the end of all looking. */
export async function checkRuns(project: Examined): Promise<DoctorCheck[]> {
  if (!project.hasStore()) return [ok('store', 'nothing has been run yet')];
  try {
    const piton = await project.openExisting();
    return await checkKept(piton, project).finally(() => piton.close());
  } catch (thrown) {
    const error = asError(thrown);
    return [bad('store', messageOf(error), error instanceof PitonError ? error.remedy : undefined)];
  }
}

async function checkKept(piton: Piton, { config: { store, root } }: Examined): Promise<DoctorCheck[]> {
  const [damaged, sound] = await checkStore(piton, store);
  // What waits is only known where the journals can be read.
  if (damaged) return [sound];
  return [
    sound,
    await checkInterrupted(piton),
    await checkHeld(piton),
    ...(await checkSpools(piton)),
    ...(await checkWorkspaces(piton, root)),
  ];
}

async function checkStore(piton: Piton, store: string): Promise<[damaged: boolean, check: DoctorCheck]> {
  const verdicts = await piton.verify();
  const damaged = verdicts.filter(({ ok }) => !ok);
  const [fault] = damaged.length === 0 ? await piton.checkStore() : [];
  if (fault !== undefined) return [true, bad('store', `damaged: ${fault}`, 'piton verify')];
  if (damaged.length === 0)
    return [false, ok('store', `${store}: ${plural(verdicts.length, 'run')}, all sound`)];
  const beyond = damaged.flatMap(({ run, faults }) =>
    faults
      .filter((fault) => fault.in === 'version' || fault.in === 'run')
      .map((fault) => ({ run, ...fault })),
  );
  if (beyond[0] !== undefined)
    return [true, bad('store', `${beyond[0].run}: ${beyond[0].what}`, beyond[0].remedy)];
  const names = damaged
    .map(
      ({ run, firstBad }) =>
        `${run} (${firstBad === undefined ? 'what lists show of it' : `from checkpoint ${firstBad}`})`,
    )
    .join(', ');
  return [true, bad('store', `damaged: ${names}`, `piton verify ${damaged[0]!.run} --repair`)];
}

async function checkInterrupted(piton: Piton): Promise<DoctorCheck> {
  const runs = await piton.runs({ status: ['interrupted'], onDamaged: () => undefined });
  if (runs.length === 0) return ok('interrupted runs', 'none');
  return warn('interrupted runs', runs.map(({ run }) => run).join(', '), 'piton resume --all');
}

async function checkHeld(piton: Piton): Promise<DoctorCheck> {
  const waiting = (await piton.inbox({ onDamaged: () => undefined })).filter(
    ({ task }) => task !== undefined,
  );
  if (waiting.length === 0) return ok('held tasks', 'none');
  return warn('held tasks', waiting.map(({ run, task = '' }) => `${run} ${task}`).join(', '), 'piton inbox');
}

interface Kept {
  readonly folder: string;
  readonly run: string | undefined;
  readonly pid?: number;
}

/** An attempt's folder may outlive its run for a while; its processes should not outlive it at all. */
async function checkSpools(piton: Piton): Promise<DoctorCheck[]> {
  const records = await piton.runs();
  const known = new Set(records.map(({ run }) => run));
  const going = new Set(records.filter(({ status }) => !isFinal(status)).map(({ run }) => run));
  const kept = (await piton.keptAttempts()).map(({ attempt, pid }): Kept => {
    const folder = piton.spoolOf(attempt);
    return { folder, run: runOf(folder), ...(pid !== undefined && { pid }) };
  });
  return [
    checkProcesses(kept.filter(({ run, pid }) => pid !== undefined && !going.has(run ?? ''))),
    checkStale(kept.filter(({ run, pid }) => pid === undefined && !known.has(run ?? ''))),
  ];
}

function checkProcesses(left: readonly Kept[]): DoctorCheck {
  if (left.length === 0) return ok('processes', 'none is left of runs that have ended');
  const names = left.map(({ pid, run }) => `${pid} (${run ?? 'of no run'})`).join(', ');
  return warn(
    'processes',
    `left of runs that have ended: ${names}`,
    `kill ${left.map(({ pid }) => pid).join(' ')}`,
  );
}

function checkStale(stale: readonly Kept[]): DoctorCheck {
  const [first] = stale;
  if (first === undefined) return ok('spool', 'no folders of runs that are gone');
  const text = `${plural(stale.length, 'folder')} of runs that are gone, such as ${first.folder}`;
  return warn('spool', text, 'They were left when those runs were pruned, and take room only: remove them.');
}

/** Undefined if the folder does not say. */
function runOf(folder: string): string | undefined {
  try {
    const { run } = JSON.parse(readBounded(join(folder, 'attempt.json')).toString('utf8')) as {
      run?: unknown;
    };
    return typeof run === 'string' ? run : undefined;
  } catch {
    return undefined;
  }
}
