import type { CheckSpec, Outcome, TaskSpec } from '../model/index.ts';
import type { Exit } from '../spool/index.ts';
import type { Attempt } from './attempt.ts';
import { orderOf } from './command-order.ts';
import { failureOfExit, lastWords, outputEnds } from './command-output.ts';
import { attemptRedactor } from './hiding.ts';
import { withMissingVariables } from './missing-variables.ts';
import type { ProcessWork } from './process-attempt.ts';
import type { ProcessPorts } from './process-ports.ts';
import type { Redact } from './redact.ts';
import { samenessOf } from './sameness.ts';

/** Of what a check says, so much is told to the agent: the end, where the reason mostly is. */
const longestReportBytes = 8 * 1024;

/** The command that decides whether an agent's work is done. */
export function checkWork(spec: TaskSpec, ports: ProcessPorts, attempt: Attempt): ProcessWork {
  const check = spec.check!;
  return {
    onInterrupt: check.onInterrupt,
    order: (state, task, folder) => orderOf(state, task, { work: check.work, folder, ports }),
    async outcomeOf(exit) {
      const { directory } = (await ports.spool.describe(attempt.id)) ?? {};
      return outcomeOfCheck(check, { ports, attempt: attempt.id, exit, directory });
    },
  };
}

interface Ended {
  readonly ports: ProcessPorts;
  readonly attempt: string;
  readonly exit: Exit;
  readonly directory: string | undefined;
}

async function outcomeOfCheck({ work }: CheckSpec, ended: Ended): Promise<Outcome> {
  const { ports, attempt, exit, directory } = ended;
  if (exit.code === 0 && !exit.timedOut) return { type: 'succeeded' };
  const redact = await attemptRedactor(ports, attempt, work);
  const told = failureOfExit(exit, await lastWords(ports.spool, attempt, redact));
  const failure = await withMissingVariables(told, ports, attempt);
  const said = await saidBy(ended, redact);
  const how = exit.timedOut ? 'it did not end in time' : `exit code ${exit.code}`;
  const report = [how, ...said].join('\n');
  // Which stream ended last may differ by chance.
  const sameness = await samenessOf({ failure, said: [how, ...said.sort()].join('\n'), directory });
  return { type: 'failed', failure, report, ...(sameness !== undefined && { sameness }) };
}

async function saidBy({ ports: { spool }, attempt }: Ended, redact: Redact): Promise<string[]> {
  const ends = await outputEnds(spool, attempt, { redact, maxBytes: longestReportBytes });
  return ends.map(({ text, isCut }) => `${isCut ? '[…]\n' : ''}${text}`.trim());
}
