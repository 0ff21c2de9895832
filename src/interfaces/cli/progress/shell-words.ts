/** A word as it has to be typed in a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The command that does something about a task, to be typed. */
export function commandFor(action: string, run: string, task: string): string {
  return `piton ${action} ${shellWord(run)} ${shellWord(task)}`;
}
