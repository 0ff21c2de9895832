import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Seconds each task sleeps before it does its work, and what it needs. */
const tasks: Readonly<Record<string, { readonly seconds: number; readonly needs: readonly string[] }>> = {
  fetch: { seconds: 0.2, needs: [] },
  install: { seconds: 0.3, needs: ['fetch'] },
  lint: { seconds: 1.2, needs: ['install'] },
  types: { seconds: 1.2, needs: ['install'] },
  test: { seconds: 4, needs: ['install'] },
  docs: { seconds: 2.5, needs: ['install'] },
  build: { seconds: 0.4, needs: ['lint', 'types'] },
  'pack-linux': { seconds: 0.3, needs: ['build'] },
  'pack-mac': { seconds: 0.3, needs: ['build'] },
  notes: { seconds: 0.2, needs: ['docs'] },
  verify: { seconds: 0.2, needs: ['test', 'pack-linux', 'pack-mac'] },
  publish: { seconds: 0.2, needs: ['verify', 'notes'] },
};

export const taskNames: readonly string[] = Object.keys(tasks);

/** What each is to show: two end while nobody looks, one runs all the way through, one is killed together with the driver. */
export const cast = { whileAway: ['lint', 'types'], lasting: 'test', killed: 'docs' } as const;

export function makeProject(folder: string): void {
  const workflows = join(folder, '.piton', 'workflows');
  mkdirSync(workflows, { recursive: true });
  writeFileSync(join(workflows, 'demo.yaml'), workflowText());
  writeFileSync(join(folder, 'ledger.txt'), '');
}

/** The names of all tasks that have done their work, in order, as they wrote them down themselves. */
export function ledgerOf(folder: string): string[] {
  return readFileSync(join(folder, 'ledger.txt'), 'utf8').split('\n').slice(0, -1);
}

function workflowText(): string {
  const entries = Object.entries(tasks).map(([name, { seconds, needs }]) =>
    [
      `  ${name}:`,
      ...(needs.length === 0 ? [] : [`    needs: [${needs.join(', ')}]`]),
      `    run: sleep ${seconds}; echo "$PITON_TASK" >> ledger.txt; echo done`,
    ].join('\n'),
  );
  return `name: demo\ntasks:\n${entries.join('\n')}\n`;
}
