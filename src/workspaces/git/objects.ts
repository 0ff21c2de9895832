import type { Git } from './git.ts';
import { gitFailureReason } from './git-failures.ts';
import type { Parsed } from './git-session.ts';
import type { RepositoryPlace } from './places.ts';

export interface FoundObject {
  readonly name: string;
  readonly type: string;
}

export interface GitObject extends FoundObject {
  readonly content: Buffer;
}

/** Many objects, in the order of what was asked for; undefined where there is none. */
export async function readObjects(
  git: Git,
  repository: RepositoryPlace,
  names: readonly string[],
): Promise<readonly (GitObject | undefined)[]> {
  return askAll(git, repository, { names, command: 'contents' });
}

/** The same without what is in them. A name may be all that git takes for one: a ref, `HEAD^{commit}`. */
export async function findObjects(
  git: Git,
  repository: RepositoryPlace,
  names: readonly string[],
): Promise<readonly (FoundObject | undefined)[]> {
  return askAll(git, repository, { names, command: 'info' });
}

interface Questions {
  readonly names: readonly string[];
  readonly command: 'contents' | 'info';
}

async function askAll(
  git: Git,
  repository: RepositoryPlace,
  { names, command }: Questions,
): Promise<readonly (GitObject | undefined)[]> {
  // A name that is none is answered on a line of its own, as it was given: with a line break in it, that would be two.
  const asked = names.filter((name) => !/[\0\n]/.test(name));
  if (asked.length === 0) return names.map(() => undefined);
  const question = {
    input: asked.map((name) => `${command} ${name}\0`).join(''),
    parse: (bytes: Buffer) => readAnswers(bytes, { count: asked.length, hasContent: command === 'contents' }),
  };
  const ask = (): Promise<readonly Answer[]> => git.converse('objects', repository, question);
  // It may have been killed, or taken for one that hangs; that reading does no harm twice.
  const answers = await ask().catch((error: unknown) => {
    if (!['killed', 'time'].includes(gitFailureReason(error) ?? '')) throw error;
    return ask();
  });
  const found = new Map(asked.map((name, index) => [name, answers[index]?.object]));
  return names.map((name) => found.get(name));
}

interface Answer {
  readonly object: GitObject | undefined;
}

function readAnswers(
  bytes: Buffer,
  { count, hasContent }: { readonly count: number; readonly hasContent: boolean },
): Parsed<readonly Answer[]> {
  const answers: Answer[] = [];
  let at = 0;
  while (answers.length < count) {
    const start = bytes.indexOf(0x0a, at) + 1;
    if (start === 0) return { needs: bytes.length + 1 };
    const [, name, type, size] = header.exec(bytes.toString('utf8', at, start)) ?? [];
    if (name === undefined || type === undefined) {
      answers.push({ object: undefined });
      at = start;
      continue;
    }
    const end = hasContent ? start + Number(size) + 1 : start;
    if (bytes.length < end) return { needs: end };
    answers.push({ object: { name, type, content: bytes.subarray(start, Math.max(start, end - 1)) } });
    at = end;
  }
  return { answer: answers, end: at };
}

const header = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)\n$/;
