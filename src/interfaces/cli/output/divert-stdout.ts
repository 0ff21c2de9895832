/**
 * From now on standard output belongs to those who have made their writer before: what code of a workflow writes to it,
 * at its import or later, is handed over by lines instead. Among JSON it would make all of it unreadable.
 */
export function divertStdout(take: (line: string) => void): void {
  const write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const text = Buffer.from(chunk).toString('utf8');
    for (const line of text.replace(/\n$/, '').split('\n')) take(line);
    const done = rest.at(-1);
    if (typeof done === 'function') process.nextTick(done as () => void);
    return true;
  };
  process.stdout.write = write;
}
