/** Runs that an earlier version has left in the middle, and this one goes on with. */
import { golden } from '../support/interrupted/fixture.ts';
import { functionsIn } from '../support/interrupted/functions.ts';
import { finish, load } from '../support/interrupted/finish.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** In `npm test`: one that is harvested, paused, held, delayed, behind its spool, and of functions. The others are for the deep suite. */
export const some: readonly string[] = [
  'check-unseen',
  'verified',
  'held-question',
  'delayed-retry',
  'behind',
  'functions-under-way',
];

/** How it ends, in words, now and with the version that wrote it: what was finished is not done again, each stage goes on where it stood. */
export async function endsOf(name: string): Promise<{ readonly now: string; readonly was: string }> {
  const root = temporaryFolder();
  await load(name, root);
  const now = await finish(name, root, name.startsWith('functions-') ? functionsIn(root) : undefined);
  return { now, was: golden(name, 'resumed.txt', now) };
}
