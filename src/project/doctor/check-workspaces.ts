import { plural } from '../../base/index.ts';
import { bytesText, type Piton, type WorkspaceReport } from '../../library/index.ts';
import { ok, warn, type DoctorCheck } from './check.ts';

/** What tasks have left behind, and what it takes. `folder`: of the project. */
export async function checkWorkspaces(piton: Piton, folder: string): Promise<DoctorCheck[]> {
  const places = await piton.workspaces({ withSize: true, folder });
  const there = places.filter(({ status }) => status !== 'removed');
  const strays = there.filter(({ status }) => status === 'stray');
  return [checkStrays(strays), checkAttention(there), checkUse(there)];
}

function checkStrays(strays: readonly WorkspaceReport[]): DoctorCheck {
  const [first] = strays;
  if (first === undefined) return ok('leftovers', 'none: every place belongs to a task');
  const text = `${plural(strays.length, 'thing')} that no task has, such as ${first.path ?? first.branch}`;
  return warn('leftovers', text, 'piton workspace clean --dry-run');
}

function checkAttention(places: readonly WorkspaceReport[]): DoctorCheck {
  const troubled = places.filter(({ status, task }) => status === 'needs attention' && task !== undefined);
  const [first] = troubled;
  if (first === undefined) return ok('places', `${plural(places.length, 'place')}, none needs you`);
  const names = troubled.map(({ run, task }) => `${run} ${task}`).join(', ');
  return warn('places', `in need of a person: ${names}`, 'piton inbox');
}

const muchBytes = 10_000_000_000;

function checkUse(places: readonly WorkspaceReport[]): DoctorCheck {
  const total = places.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  const text = `places and archives take ${bytesText(total)}`;
  return total < muchBytes ? ok('disk use', text) : warn('disk use', text, 'piton workspace clean --dry-run');
}
