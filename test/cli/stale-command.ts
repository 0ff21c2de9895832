import { systemClock } from '../../src/base/index.ts';
import { registerStore } from '../../src/index.ts';
import type { Store } from '../../src/store/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { latch, type Latch } from '../support/open-piton.ts';
import type { Answer, Project } from './command-line.ts';

/** `look`: before anything is written. `inbox`: what is wanted waits there, and nobody has taken the run yet. */
type Moment = 'look' | 'inbox';

interface Pause {
  readonly moment: Moment;
  readonly reached: Latch;
  readonly mayGoOn: Latch;
}

/** A command that has looked at its run, and has not written anything yet. */
export interface StaleCommand {
  /** Lets it go on, with what it knows from before. */
  goOn(): Promise<Answer>;
}

const pauses = new Map<string, Pause>();

/** Whatever changes a run begins with one of these. */
const isWrite = (operation: string | symbol, given: unknown, moment: Moment): boolean =>
  (operation === 'sendCommand' && moment === 'look') ||
  (operation === 'takeLease' && (given as { name: string }).name.startsWith('run:'));

const openPaused = async (url: string): Promise<Store> => {
  const [, id = '', file] = url.split(':');
  const { reached, mayGoOn, moment } = pauses.get(id)!;
  const inner = await openSqliteStore(`sqlite:${file}`, { durability: 'process', clock: systemClock });
  return new Proxy(inner, {
    get(store, name) {
      const value: unknown = Reflect.get(store, name);
      if (typeof value !== 'function') return value;
      const operation = value.bind(store) as (...given: unknown[]) => unknown;
      return (...given: unknown[]) => {
        if (!isWrite(name, given[0], moment)) return operation(...given);
        reached.open();
        return mayGoOn.opened.then(() => operation(...given));
      };
    },
  });
};

/** Calls a command in this process, and stops it between its look at the run and its first write, or before it drives the run. */
export async function lookOnly(
  project: Project,
  args: readonly string[],
  moment: Moment = 'look',
): Promise<StaleCommand> {
  registerStore('paused', openPaused);
  const pause: Pause = { moment, reached: latch(), mayGoOn: latch() };
  const id = String(pauses.size);
  pauses.set(id, pause);
  const store = `paused:${id}:${project.folder}/.piton/piton.db`;
  const answer = project.piton(args, { env: { PITON_STORE: store } });
  // One that is refused at once does not come so far.
  await Promise.race([pause.reached.opened, answer]);
  return {
    goOn() {
      pause.mayGoOn.open();
      return answer;
    },
  };
}
