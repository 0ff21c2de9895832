import { watcherRoundMs } from '../../spool/index.ts';
import { Answers } from './answers.ts';
import { settleAttempt, stopAttempt, surveyAttempts, takeAttempt } from './attempt-programs.ts';
import { thereOf, type RemotePlace } from './layout.ts';
import { lineTo, type Resolved } from './ports.ts';
import { callMachine, type Line } from './ssh.ts';

/** The attempts of one place there. */
export interface Attempts {
  readonly line: Line;
  /** Their folder. */
  readonly folder: string;
  readonly graceMs: number;
}

export interface AttemptThere {
  readonly attempt: string;
  /** `dead`: it had begun, and nobody knows how it ended. `claimed`, `unclaimed`: nothing has begun. */
  readonly state: 'exited' | 'alive' | 'dead' | 'claimed' | 'unclaimed';
  readonly kind: string;
  /** The attempt here that has followed it last. */
  readonly taker: string;
  /** It never began; somebody has asked it to stop; all it had to tell was told. */
  readonly marks: readonly string[];
}

/** All attempts there but the one that is about to begin, which has its turn from now on: nothing else will begin any more. */
export async function survey({ line, folder }: Attempts, attempt: string): Promise<readonly AttemptThere[]> {
  const bytes = await callMachine(line, { program: surveyAttempts, args: [folder, attempt] });
  const all = new Answers(bytes).lines().map((text): AttemptThere => {
    const [name = '', state = '', kind = '', taker = '', ...marks] = text.split(' ');
    return { attempt: name, state: state as AttemptThere['state'], kind, taker, marks };
  });
  return all.filter((one) => one.attempt !== attempt);
}

/** From now on `taker` follows it. */
export async function take({ line, folder }: Attempts, attempt: string, taker: string): Promise<void> {
  await callMachine(line, { program: takeAttempt, args: [`${folder}/${attempt}`, taker] });
}

/** Ends all that lives of it. `isAsked`: it would go on otherwise, so that its end is not its own doing. */
export async function stop(attempts: Attempts, attempt: string, isAsked: boolean): Promise<void> {
  const args = [...aboutEnding(attempts, attempt), isAsked ? 'asked' : ''];
  await callMachine(attempts.line, { program: stopAttempt, args });
}

/** Its output is here. What it has left running is ended: it would go on in a place that is about to be merged. */
export async function settle(attempts: Attempts, attempt: string): Promise<void> {
  const args = [...aboutEnding(attempts, attempt), ''];
  await callMachine(attempts.line, { program: settleAttempt, args });
}

function aboutEnding({ folder, graceMs }: Attempts, attempt: string): string[] {
  return [`${folder}/${attempt}`, attempt, String(Math.ceil(graceMs / napMs))];
}

const napMs = 100;

/** Rounds of the deadline's watcher there. */
export function watcherRounds(graceMs: number): string {
  return String(Math.ceil(graceMs / watcherRoundMs));
}

/** Whatever still runs in a place that is about to go. */
export async function stopAttempts(options: Resolved, place: RemotePlace): Promise<void> {
  const attempts = {
    line: lineTo(options, place.remote),
    folder: thereOf(place).attempts,
    graceMs: options.graceMs,
  };
  for (const { attempt, state, marks } of await survey(attempts, 'none')) {
    if (state !== 'unclaimed' && !marks.includes('never')) await stop(attempts, attempt, state === 'alive');
  }
}
