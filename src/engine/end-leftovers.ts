import { effect } from '../base/index.ts';
import { isSettled, ownerOf, type RunState } from '../kernel/index.ts';
import type { Spool } from '../spool/index.ts';
import type { StopReason } from './attempt.ts';
import type { RunWriter } from './run-writer.ts';

const reason: StopReason = { type: 'interrupted', text: 'its task, or its run, was over without it' };

/**
 * Ends what lives and only the spool knows, if its turn to be taken up will not come any more: its task was skipped, rejected or
 * cancelled, or the run ends. To be called before that is written: of what has settled nothing lives, and nobody would look
 * after it any more. Whoever is killed in between has left an attempt that was interrupted, and decides the same again.
 */
export class Leftovers {
  readonly #spool: Spool;
  readonly #ended = new Set<string>();

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  async end(writer: RunWriter): Promise<void> {
    for (const attempt of leftoversOf(writer)) {
      if (this.#ended.has(attempt)) continue;
      await writer.assertNotReplaced();
      await effect('spool.leftover-ended', () => this.#endOne(attempt));
      this.#ended.add(attempt);
    }
  }

  /** Its wrapper may be dead while its command lives; and one that was prepared may be about to begin. */
  async #endOne(attempt: string): Promise<void> {
    const { type } = await this.#spool.look(attempt);
    if (type === 'elsewhere') return;
    if ((type === 'absent' || type === 'unclaimed') && (await this.#spool.claim(attempt))) return;
    // How it ended is known, and was its own doing.
    if (type !== 'exited') await this.#spool.noteStop(attempt, JSON.stringify(reason));
    await this.#spool.fence(attempt);
  }
}

function leftoversOf({ state, hasEnded }: RunWriter): string[] {
  return Object.entries(state.spooled ?? {})
    .filter(([address]) => hasEnded || hasSettled(state, address))
    .flatMap(([, attempts]) => attempts.map(({ attempt }) => attempt));
}

/** Or what it belongs to: it may not even have come into being again. */
function hasSettled({ tasks }: RunState, address: string): boolean {
  for (let at = address; at !== ''; at = ownerOf(at)) {
    const task = tasks.get(at);
    if (task !== undefined && isSettled(task.life)) return true;
  }
  return false;
}
