/** A key that was pressed, or text that was pasted. */
export type Key =
  | { readonly type: 'text'; readonly text: string; readonly isPasted: boolean }
  | { readonly type: 'enter' | 'erase' | 'clear' | 'escape' }
  /** Ctrl-C and Ctrl-Z, which a terminal in raw mode does not make signals of. */
  | { readonly type: 'signal'; readonly signal: 'SIGINT' | 'SIGTSTP' };

type NamedKey = Extract<Key, { readonly type: 'enter' | 'erase' | 'clear' | 'escape' }>['type'];

const named: Readonly<Record<string, NamedKey>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u007f': 'erase',
  '\b': 'erase',
  '\u0015': 'clear',
  '\u001b': 'escape',
};

const signals: Readonly<Record<string, 'SIGINT' | 'SIGTSTP'>> = { '\u0003': 'SIGINT', '\u001a': 'SIGTSTP' };

const paste = { begin: '\u001b[200~', end: '\u001b[201~' };

// eslint-disable-next-line no-control-regex
const pieces = /\u001b\[200~[\s\S]*?(?:\u001b\[201~|$)|\u001b[[O][0-?]*[ -/]*[@-~]|[\s\S]/gu;

/** What a terminal in raw mode has sent. Arrows and the like are nothing; ends of lines within a paste are blanks: they answer nothing. */
export function readKeys(sent: string): Key[] {
  return [...sent.matchAll(pieces)].flatMap(([piece]): Key[] => {
    if (piece.startsWith(paste.begin)) {
      const text = piece.slice(paste.begin.length).replace(paste.end, '');
      return [{ type: 'text', text: printable(text.replace(/\s+/g, ' ')), isPasted: true }];
    }
    const signal = signals[piece];
    if (signal !== undefined) return [{ type: 'signal', signal }];
    const name = named[piece];
    if (name !== undefined) return [{ type: name }];
    const text = piece.startsWith('\u001b') ? '' : printable(piece);
    return text === '' ? [] : [{ type: 'text', text, isPasted: false }];
  });
}

function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '');
}

/** What is needed of standard input. */
export interface KeyInput {
  setRawMode?(isRaw: boolean): unknown;
  on(event: 'data', listener: (sent: Buffer | string) => void): unknown;
  off(event: 'data', listener: (sent: Buffer | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Terminals that know it say what was pasted. */
export const askForPasteMarks = '\u001b[?2004h';
export const noPasteMarks = '\u001b[?2004l';

/** Listens to keys as they are pressed, without an echo. Ctrl-C and Ctrl-Z do what they do everywhere. Returns the way to stop. */
export function onKeys(input: KeyInput, hear: (keys: readonly Key[]) => void): () => void {
  const read = (sent: Buffer | string): void => {
    const keys = readKeys(sent.toString());
    for (const key of keys) {
      if (key.type !== 'signal') continue;
      if (key.signal === 'SIGTSTP') raw(false);
      process.kill(process.pid, key.signal);
    }
    hear(keys.filter(({ type }) => type !== 'signal'));
  };
  const raw = (isRaw: boolean): void => {
    // A terminal that has gone away cannot be set.
    try {
      input.setRawMode?.(isRaw);
    } catch {}
  };
  const again = (): void => raw(true);
  raw(true);
  input.on('data', read);
  input.resume();
  process.on('SIGCONT', again);
  return () => {
    process.off('SIGCONT', again);
    input.off('data', read);
    input.pause();
    raw(false);
  };
}
