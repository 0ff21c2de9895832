import { format } from 'node:util';

const methods = ['log', 'info', 'debug', 'warn', 'error'] as const;

/**
 * What functions of a workflow print goes where lines belong: written past us, it would end up in the middle of a frame,
 * or among JSON. Returns the way back.
 */
export function captureConsole(print: (line: string) => void): () => void {
  const before = methods.map((method) => [method, console[method]] as const);
  for (const method of methods) {
    console[method] = (...values: unknown[]): void => {
      for (const line of format(...values).split('\n')) print(line);
    };
  }
  return () => {
    for (const [method, original] of before) console[method] = original;
  };
}
