/** One word for any POSIX shell, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * What the login shell there is told, whichever it is: to become a POSIX shell that takes its program from the first line of
 * its standard input: the whole line, or nothing if the connection is lost before. So nothing of it (variables, prompts, paths) can be
 * seen in any list of processes.
 */
export const readProgram = `exec /bin/sh -c 'IFS= read -r piton_line && eval "$(printf %b "$piton_line")"'`;

/** The first word of each answer of ours. What comes before was printed by somebody's start files. */
export const answerMark = 'piton-answers';

/** The program with its arguments as that line. Whatever follows on standard input is the program's to read. */
export function programLine(program: string, args: readonly string[]): string {
  const text = `unset piton_line\nset -- ${args.map(quoted).join(' ')}\necho ${answerMark}\n${program}`;
  return `${text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`;
}

/** What was answered, from after the mark; undefined if the program never began. */
export function answerIn(bytes: Buffer): Buffer | undefined {
  const mark = Buffer.from(`${answerMark}\n`);
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) {
    if (at === 0 || bytes[at - 1] === 10) return bytes.subarray(at + mark.length);
  }
  return undefined;
}
