import { WatchedRun } from '../../src/views/index.ts';
import type { RunEvent } from '../../src/engine/index.ts';
import { drawFrame } from '../../src/interfaces/cli/progress/frame.ts';
import { describeEvent } from '../../src/interfaces/cli/progress/index.ts';
import type { Event, Workflow } from '../../src/model/index.ts';

export const start = 1_800_000_000_000;

/** Tells a run's story event by event, a second apart unless said otherwise. */
export class Story {
  readonly view: WatchedRun = new WatchedRun('r1');
  readonly said: string[] = [];
  readonly events: RunEvent[] = [];
  at = start;
  #seq = 0;

  constructor(of: Workflow, options: { readonly epoch?: number } = {}) {
    this.happens({ type: 'run.created', data: { workflow: of, inputs: {} } });
    this.happens({
      type: 'lease.taken',
      data: { epoch: options.epoch ?? 1, host: 'h', pid: 7, instance: 'i' },
    });
  }

  happens(event: Event, after = 0): this {
    this.at += after;
    const told = { ...event, run: 'r1', seq: ++this.#seq, at: this.at } as RunEvent;
    this.events.push(told);
    this.view.add(told);
    const saying = describeEvent(this.view, told);
    if (saying !== undefined)
      this.said.push([`${saying.symbol} ${saying.text}`, ...(saying.commands ?? [])].join('\n'));
    return this;
  }

  starts(name: string, number = 1): this {
    return this.happens({
      type: 'attempt.started',
      task: name,
      attempt: `${name}-${number}`,
      data: { number },
    });
  }

  ends(name: string, outcome: 'succeeded' | 'failed' | 'interrupted', after = 1_000): this {
    this.happens({ type: 'attempt.ended', task: name, attempt: `${name}-1`, data: { outcome } }, after);
    if (outcome === 'succeeded') this.happens({ type: 'task.succeeded', task: name, data: { output: null } });
    return this;
  }

  frame(
    columns = 80,
    rows = 24,
    lastLine: (attempt: string) => string | undefined = () => undefined,
  ): string[] {
    return drawFrame(this.view, { columns, rows, now: this.at, lastLine }).map(({ text }) => text);
  }
}
