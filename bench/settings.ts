import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Durability = 'full' | 'process';

/** What every load is measured with. */
export interface Settings {
  /** In each, the subject and its floor are measured in turns. */
  readonly rounds: number;
  /** 1 is the size the targets are about; tests take less. */
  readonly scale: number;
  /** Only to see that it works. */
  readonly isQuick: boolean;
}

/** A size of a load, made smaller or larger. */
export function scaled(size: number, { scale }: Pick<Settings, 'scale'>): number {
  return Math.max(1, Math.round(size * scale));
}

/** A folder of its own for one measurement, so that none inherits the pages of another. */
export async function inFolder<T>(use: (folder: string) => Promise<T> | T): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'piton-bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
