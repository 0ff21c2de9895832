import { closeSync, copyFileSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '../library.ts';
import { readRaw } from '../floor.ts';
import { interleave, medianOf, medianRatio } from '../rounds.ts';
import { atMost, type Row } from '../row.ts';
import { inFolder, scaled, type Settings } from '../settings.ts';
import { graphChain } from '../workloads.ts';

const run = 'interrupted';
/** Until the code that resumes has been compiled: what is measured is a process that is warm. */
const warmUps = 25;
/** Reading the rows is part of it; so are two commits that are synced, and the step itself. */
const mostTimesFloor = 3;

/** From opening the store until the step at which the run had stopped is called again, in a process that is warm. */
export async function resume(settings: Settings): Promise<Row[]> {
  const sizes = [
    { name: 'resume at step 900 of 1,000', at: scaled(900, settings) },
    { name: 'resume at step 10,000', at: scaled(10_000, settings) },
  ];
  const rows: Row[] = [];
  for (const size of sizes) {
    rows.push(await inFolder((folder) => measure(folder, { ...size, rounds: settings.rounds })));
  }
  return rows;
}

interface Size {
  readonly name: string;
  readonly at: number;
  readonly rounds: number;
}

async function measure(folder: string, { name, at, rounds }: Size): Promise<Row> {
  const file = join(folder, 'piton.db');
  await stopAt(file, at);
  for (let time = 0; time < warmUps; time++) await timeResume(copyOf(file), at);
  const samples = await interleave(rounds, {
    ours: () => timeResume(copyOf(file), at),
    floor: () => readRaw(copyOf(file)),
  });
  const ratio = medianRatio(samples, ['ours', 'floor']);
  return {
    load: name,
    durability: 'full',
    unit: 'ms',
    ours: medianOf(samples, 'ours'),
    floor: medianOf(samples, 'floor'),
    ratio,
    target: atMost(ratio, mostTimesFloor, 'times the floor'),
  };
}

let copies = 0;

/** Synced, as the file of a run is that was interrupted: the first commit is not to pay for the copy. */
function copyOf(file: string): string {
  const copy = `${file}.${copies++}`;
  copyFileSync(file, copy);
  const descriptor = openSync(copy, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
  return copy;
}

/** Leaves a run that was stopped while a certain step was under way. */
async function stopAt(file: string, at: number): Promise<void> {
  const reached = Promise.withResolvers<void>();
  const definition = graphChain(at + 100, (step, signal) => {
    if (step < at) return undefined;
    reached.resolve();
    return untilStopped(signal);
  });
  const piton = await open({ store: `sqlite:${file}`, durability: 'process' });
  await piton.start(definition, { id: run });
  await reached.promise;
  await piton.close();
}

async function timeResume(file: string, at: number): Promise<number> {
  const called = Promise.withResolvers<number>();
  const definition = graphChain(at + 100, (step, signal) => {
    called.resolve(step);
    return untilStopped(signal);
  });
  const startedAt = performance.now();
  await using piton = await open({ store: `sqlite:${file}` });
  await piton.resume(definition, run);
  const step = await called.promise;
  const ms = performance.now() - startedAt;
  if (step !== at) throw new Error(`the run was stopped at step ${at}, but went on at ${step}`);
  return ms;
}

function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}
