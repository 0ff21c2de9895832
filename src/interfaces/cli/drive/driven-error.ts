import { PitonError, shellWord } from '../../../base/index.ts';

/** Who drives a run, and since when. */
export interface Driver {
  readonly pid: number;
  readonly host: string;
  readonly since: number;
  readonly stopped: boolean;
}

/** `RUN_DRIVEN`, with what can be done about it from a command line. */
export function drivenError(run: string, { pid, host, since, stopped }: Driver, cause?: unknown): PitonError {
  const who = `process ${pid} on ${host}${stopped ? ', which is stopped' : ''}`;
  const id = shellWord(run);
  const takeover = `${stopped ? 'To end it and go on' : 'If that process hangs'}: piton resume ${id} --takeover.`;
  return new PitonError(
    'RUN_DRIVEN',
    `Run ${run} is driven by ${who}, since ${new Date(since).toISOString()}.`,
    {
      run,
      pid,
      host,
      since,
      stopped,
      ...(cause !== undefined && { cause }),
      remedy: `Watch it: piton attach ${id}. ${takeover}`,
    },
  );
}
