import type { Store } from '../store/index.ts';
import { pagesOf } from './chain.ts';

/**
 * Attempts of other runs that forks have in their past: what these have written is shown there, and told to agents that go on. It stays
 * as long as one of the forks does.
 */
export async function sharedAttempts(store: Store): Promise<ReadonlySet<string>> {
  const shared = new Set<string>();
  for (const { run, about } of await store.listRuns({ onDamaged: () => undefined })) {
    if (about?.fork === undefined) continue;
    for (const attempt of await attemptsUpTo(store, run, about.fork.seq)) shared.add(attempt);
  }
  return shared;
}

async function attemptsUpTo(store: Store, run: string, last: number): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const page of pagesOf(store, run))
    found.push(...page.filter(({ seq }) => seq <= last).flatMap(({ body }) => attemptsIn(body)));
  return found;
}

function attemptsIn(body: string): string[] {
  const { events } = JSON.parse(body) as { readonly events: readonly { type: string; attempt?: string }[] };
  return events.flatMap(({ type, attempt }) => (type === 'attempt.started' && attempt ? [attempt] : []));
}
