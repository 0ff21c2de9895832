/** Archives a worktree with repositories in it, removes it, and lays it out again elsewhere. */
import { existsSync } from 'node:fs';
import {
  archiveRef,
  archiveWorktree,
  Git,
  readLink,
  removeWorktree,
  restoreArchive,
  taskBranch,
} from '../../../src/workspaces/git/index.ts';
import { at, plainEnvironment, trailers } from '../git-orders.ts';

export interface NestedOrder {
  readonly commonDir: string;
  readonly state: string;
  /** The worktree, and where it is to be in the end. */
  readonly path: string;
  readonly again: string;
  readonly base: string;
}

const order = JSON.parse(process.argv[2]!) as NestedOrder;
const { commonDir, state, path, again, base } = order;
const environment = plainEnvironment({ XDG_STATE_HOME: state });
const git = new Git({ environment, durability: 'process', staleLockMs: 50 });
const { run, task } = trailers;
const owner = { repository: { commonDir }, run, task, token: 'token', base };
await git.recordConfig({ commonDir }, { isFirst: false });
if (existsSync(path)) {
  const link = await readLink(path);
  if (link.type !== 'linked') throw new Error(link.type);
  await archiveWorktree(git, {
    worktree: { path, gitDir: link.gitDir, commonDir },
    trailers,
    at,
    caches: [],
  });
  await removeWorktree(git, { ...owner, path });
}
const branch = taskBranch(run, 'again');
await restoreArchive(git, { ...owner, path: again, branch, archive: archiveRef(run, task, at) });
git.close();
