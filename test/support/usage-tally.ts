import { Attempts, type Usage } from '../../src/views/index.ts';

/** What attempts have used, summed up. */
export class UsageTally extends Attempts {
  ofAttempt(attempt: string): Usage | undefined {
    return this.get(attempt)?.usage;
  }

  ofTask(task: string): Usage | undefined {
    return sumOf(this.list(task).flatMap(({ usage }) => usage ?? []));
  }

  total(): Usage | undefined {
    return sumOf(this.list().flatMap(({ usage }) => usage ?? []));
  }
}

function sumOf(parts: readonly Usage[]): Usage | undefined {
  if (parts.length === 0) return undefined;
  const sum = (of: (part: Usage) => number): number => parts.reduce((total, part) => total + of(part), 0);
  const isPriced = parts.some(({ costUsd }) => costUsd !== undefined);
  return {
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    cachedInput: sum(({ cachedInput }) => cachedInput),
    ...(isPriced && { costUsd: sum(({ costUsd = 0 }) => costUsd) }),
    unpricedTokens: sum(({ unpricedTokens }) => unpricedTokens),
  };
}
