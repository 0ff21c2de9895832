import { shellWord } from '../../base/index.ts';

/** What is done with the place of a task, by `piton workspace`. */
const ofPlaces: ReadonlySet<string> = new Set(['recreate', 'restore', 'adopt', 'discard']);

/** An example of an amount: how much it is to be is for the person to say. */
const raises: Readonly<Record<string, string>> = { 'raise-dollars': '+5', 'raise-tokens': '+200k-tokens' };

/** The command that does something about a task, to be typed. */
export function commandFor(action: string, run: string, task: string): string {
  if (ofPlaces.has(action)) return commandFor(`workspace ${action}`, run, task);
  if (Object.hasOwn(raises, action)) return `${commandFor('approve', run, task)} --budget ${raises[action]}`;
  if (action === 'done') return `piton done ${shellWord(run)} ${shellWord(task)} -m 'it took effect'`;
  const ofRun = `piton ${action} ${shellWord(run)}`;
  if (action === 'resume') return ofRun;
  return `${ofRun} ${shellWord(task)}${action === 'diff' ? ' --patch' : ''}`;
}

/** The command that does something about a run as a whole. */
export function commandForRun(action: string, run: string): string {
  const id = shellWord(run);
  return action === 'repair' ? `piton verify ${id} --repair` : `piton ${action} ${id}`;
}

/**
 * What is told in passing. Of a place there are too many to choose from without an explanation, and the inbox
 * explains them.
 */
export function shortCommands(actions: readonly string[], run: string, task: string): readonly string[] {
  const commands = actions.map((action) => commandFor(action, run, task));
  return actions.includes('recreate')
    ? [commands[0]!, `piton inbox  # ${commands.length - 1} other ways, each explained`]
    : commands;
}
