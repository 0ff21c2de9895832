import { nearest, PitonError } from '../../base/index.ts';
import type { Invocation } from './command-spec.ts';

/** Which of the actions of a command take an option, by the name of the option. One that is not named here is for all of them. */
export type Takers<Options> = Readonly<Partial<Record<keyof Options, readonly string[]>>>;

/** Left unread, `--dry-run` would let somebody remove something who only wanted to look. Throws `USAGE_INVALID`. */
export function assertOwnOptions<Options extends object>(
  command: string,
  { args: [action = ''], options }: Invocation<Options>,
  takers: Takers<Options>,
): void {
  const names = Object.keys(takers) as (keyof Options & string)[];
  const foreign = names.find((name) => options[name] !== undefined && !takers[name]!.includes(action));
  if (foreign === undefined) return;
  const option = `--${foreign.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new PitonError('USAGE_INVALID', `piton ${command} ${action} takes no ${option}.`, {
    remedy: `It is for ${takers[foreign]!.join(' and ')}. Leave it out: piton ${command} --help says what each takes.`,
  });
}

/** The action that a command was called with. Throws `USAGE_INVALID`. */
export function actionNamed<Action>(
  command: string,
  name: string,
  actions: Readonly<Record<string, Action>>,
): Action {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action !== undefined) return action;
  const known = Object.keys(actions);
  const close = nearest(name, known);
  throw new PitonError('USAGE_INVALID', `piton ${command} cannot ${name}.`, {
    remedy: close === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${close}?`,
  });
}
