import type { Git, GitRun } from './git.ts';

export interface GitObject {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
}

/** Many objects by one git, in the order of what was asked for; undefined where there is none. */
export async function readObjects(
  git: Git,
  setting: Pick<GitRun, 'cwd' | 'env'>,
  names: readonly string[],
): Promise<readonly (GitObject | undefined)[]> {
  if (names.length === 0) return [];
  const { bytes } = await git.run(['cat-file', '--batch'], { ...setting, input: `${names.join('\n')}\n` });
  const found: (GitObject | undefined)[] = [];
  for (let at = 0; at < bytes.length;) {
    const start = bytes.indexOf(0x0a, at) + 1;
    const line = bytes.toString('utf8', at, start);
    const [, name, type, size] = /^([0-9a-f]+) ([a-z]+) (\d+)\n$/.exec(line) ?? [];
    const end = start + Number(size ?? 0);
    const isThere = name !== undefined && type !== undefined;
    found.push(isThere ? { name, type, content: bytes.subarray(start, end) } : undefined);
    at = isThere ? end + 1 : start;
  }
  return found;
}
