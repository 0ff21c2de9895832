/** What may happen to a run, and what people may do to it, at random. */
import * as fc from 'fast-check';
import type { Command, Outcome, Workflow } from '../../src/model/index.ts';
import { closures } from './random-workflows.ts';
import { done, failedWith, interrupted, simulate, unreachable, type Simulation } from './simulate.ts';

const commands = ['pause', 'resume', 'cancel', 'retry', 'skip', 'set'] as const;
const gateCommands = ['approve', 'reject'] as const;

export interface Step {
  readonly kind:
    'end' | 'wake' | 'crash' | 'reopen' | 'clock' | (typeof commands)[number] | (typeof gateCommands)[number];
  readonly pick: number;
  readonly way: 'succeed' | 'fail' | 'not reach' | 'wait' | 'be cancelled' | 'be interrupted';
}

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind'][]>(
      'end',
      'end',
      'end',
      'end',
      'wake',
      'crash',
      'reopen',
      'reopen',
      'clock',
      ...commands,
      ...gateCommands,
      'approve',
      'approve',
    ),
    pick: fc.nat({ max: 30 }),
    way: fc.constantFrom<Step['way'][]>(
      'succeed',
      'succeed',
      'fail',
      'not reach',
      'wait',
      'be cancelled',
      'be interrupted',
    ),
  }),
  { maxLength: 30 },
);

export function take(simulation: Simulation, { kind, pick, way }: Step): void {
  const tasks = [...simulation.state.tasks.keys()];
  const task = tasks[pick % tasks.length] ?? 'none';
  if (kind === 'reopen') simulation.reopen(task);
  else if (simulation.isOver) return;
  else if (kind === 'approve' || kind === 'reject') simulation.decide(kind, task);
  else if (isCommand(kind)) simulation.command(commandOf(kind, task, pick));
  else happen(simulation, { kind, pick, way });
}

function isCommand(kind: Step['kind']): kind is (typeof commands)[number] {
  return (commands as readonly string[]).includes(kind);
}

function happen(simulation: Simulation, { kind, pick, way }: Step): void {
  const { running, now } = simulation;
  if (kind === 'crash') simulation.crash({ snapshot: pick % 2 === 0 });
  else if (kind === 'clock') setClock(simulation, pick);
  else if (kind === 'wake') simulation.wake();
  else if (running.length > 0) simulation.end(running[pick % running.length]!, outcomeOf(way, now));
}

function setClock(simulation: Simulation, pick: number): void {
  const ms = (pick - 15) * 100;
  simulation.now += ms;
  simulation.transition(() => [{ type: 'clock.jumped', data: { ms } }]);
}

function commandOf(type: (typeof commands)[number], task: string, pick: number): Command {
  if (type === 'set') return { type, limits: [{ limit: 'max-parallel', ...maxParallelFrom(pick) }] };
  if (type === 'cancel') return { type, reason: 'enough' };
  if (type === 'pause' || type === 'resume') return { type };
  return { type, task };
}

/** One to three, none, or what the workflow says. */
function maxParallelFrom(pick: number): { readonly to?: number | 'none' } {
  return [{ to: 1 }, { to: 2 }, { to: 3 }, { to: 'none' } as const, {}][pick % 5]!;
}

function outcomeOf(way: Step['way'], now: number): Outcome {
  if (way === 'wait') return { type: 'delayed', until: now + 500, reason: 'a limit' };
  if (way === 'be cancelled') return { type: 'cancelled', reason: 'it gave up' };
  if (way === 'be interrupted') return interrupted;
  if (way === 'not reach') return unreachable;
  return way === 'fail' ? failedWith() : done;
}

export function play(workflow: Workflow, given: readonly Step[]): Simulation {
  const simulation = simulate(workflow, { closures });
  for (const step of given) take(simulation, step);
  return simulation;
}
