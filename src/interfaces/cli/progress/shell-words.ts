/** A word as it has to be typed in a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** What is done with the place of a task, by `piton workspace`. */
const ofPlaces: ReadonlySet<string> = new Set(['recreate', 'restore', 'adopt', 'discard']);

/** An example of an amount: how much it is to be is for the person to say. */
const raises: Readonly<Record<string, string>> = { 'raise-dollars': '+5', 'raise-tokens': '+200k-tokens' };

/** The command that does something about a task, to be typed. */
export function commandFor(action: string, run: string, task: string): string {
  if (ofPlaces.has(action)) return commandFor(`workspace ${action}`, run, task);
  if (action === 'resolve' || action.startsWith('workspace '))
    return `piton ${action} ${shellWord(task)} --run ${shellWord(run)}`;
  if (Object.hasOwn(raises, action)) return `${commandFor('approve', run, task)} --budget ${raises[action]}`;
  const ofRun = `piton ${action} ${shellWord(run)}`;
  return action === 'resume' ? ofRun : `${ofRun} ${shellWord(task)}`;
}

/** What may be done about a held task. One that waits for its session goes on by itself, if somebody drives the run. */
export function actionsOf({
  actions,
  lent,
}: {
  readonly actions: readonly string[];
  readonly lent?: string | undefined;
}): readonly string[] {
  return lent === undefined ? actions : ['resume', ...actions];
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
