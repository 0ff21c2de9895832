import { PitonError, shellWord } from '../base/index.ts';
import {
  confirmWork,
  previewReopen,
  taskAt,
  type Reopening,
  type ReopenRefused,
  type Reruns,
  type RunState,
} from '../kernel/index.ts';
import type { Event } from '../model/index.ts';
import { problemOfOutput } from './given-outputs.ts';
import { makeWorld } from './make-world.ts';
import type { EnginePorts } from './options.ts';
import type { Program } from './program.ts';
import { senderHere } from './send-command.ts';
import { wishOf, type RedoOptions, type ResumeOptions } from './resume-options.ts';

/** What would run again if settled tasks were wanted otherwise. Throws `REDO_REFUSED`. */
export function previewRedo(state: RunState, options: RedoOptions): Reruns {
  const wish = wishOf(options);
  const reruns = previewReopen(state, wish);
  if ('refusal' in reruns) throw redoRefused(state.run, wish, reruns);
  return reruns;
}

interface Marking {
  readonly options: ResumeOptions;
  readonly program: Program;
}

/** Failed tasks whose work was done nevertheless. `state`: before they are open again. Throws `REDO_REFUSED`. */
export async function doneEvents(
  ports: EnginePorts,
  state: RunState,
  { options, program }: Marking,
): Promise<readonly Event[]> {
  const { done = [] } = options;
  if (done.length === 0) return [];
  const evaluator = await program.evaluatorFor(state.workflow);
  const world = makeWorld(ports, { evaluator, workflow: state.workflow, mayStart: false });
  const events: Event[] = [];
  for (const { task: address, ...given } of done) {
    const task = taskAt(state, address);
    const problem = await problemOfOutput(task.spec, given.output, { ...ports, program });
    const confirmation = { ...given, by: senderHere(ports.environment) };
    const marked =
      problem === undefined ? confirmWork(state, task, { confirmation, world }) : { refusal: problem };
    if ('refusal' in marked) throw redoRefused(state.run, wishOf(options), marked);
    events.push(...marked.events);
  }
  return events;
}

export function redoRefused(run: string, wish: Reopening, refused: ReopenRefused): PitonError {
  const { refusal, unconfirmed } = refused;
  return new PitonError('REDO_REFUSED', `Run ${run} cannot take that up again: ${refusal}.`, {
    run,
    ...wish,
    ...(unconfirmed !== undefined && { unconfirmed }),
    remedy: remedyFor(shellWord(run), wish, refused),
  });
}

function remedyFor(run: string, { done = [] }: Reopening, { unconfirmed }: ReopenRefused): string {
  if (unconfirmed !== undefined)
    return `See what would run again, and agree to it: \`piton retry ${run} <task> --redo\`; in a program, \`previewRedo\` and \`rerunSucceeded\`.`;
  if (done.length > 0) return `See how it stands with \`piton show ${run} ${shellWord(done[0]!)}\`.`;
  return `See how it stands with \`piton status ${run}\`; \`piton retry ${run}\` tries all that failed together, \`piton skip ${run} <task> …\` goes on without those you name.`;
}
