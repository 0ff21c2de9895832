import { createInterface } from 'node:readline';
import { readSession, recordTurn, recordWords, type OpenSession } from './sessions.ts';
import { withoutPart } from './setting.ts';
import { write } from './voice.ts';

/** The session in a person's hands: what was said, and then a turn for each line, until an empty one or `exit`. */
export async function talk(id: string): Promise<number> {
  const session = readSession(id);
  if ('refusal' in session) {
    process.stderr.write(`${session.refusal.message}\n`);
    return 1;
  }
  write(`Session ${id}\n${showLines(session)}\n`);
  await converse(id);
  return 0;
}

function showLines({ lines }: OpenSession): string {
  return lines
    .map((line) => ('said' in line ? `agent: ${line.said}` : `you: ${withoutPart(line.prompt).trim()}`))
    .join('\n');
}

async function converse(id: string): Promise<void> {
  const { stdin, stdout } = process;
  const isTerminal = stdin.isTTY === true;
  const lines = createInterface({ input: stdin, ...(isTerminal && { output: stdout }), prompt: '> ' });
  if (isTerminal) lines.prompt();
  for await (const line of lines) {
    const words = line.trim();
    if (words === '' || words === 'exit') break;
    answer(id, words);
    if (isTerminal) lines.prompt();
  }
}

function answer(id: string, words: string): void {
  const said = `heard: ${words}`;
  recordTurn(id, { prompt: words, isTalk: true });
  recordWords(id, said);
  write(`agent: ${said}\n`);
}
