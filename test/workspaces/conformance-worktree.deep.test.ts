import { describeFurtherPromises, describePlaces } from './conformance.ts';
import { worktreeBench } from './conformance/worktree-bench.ts';

describePlaces('a worktree', () => worktreeBench(''));
describeFurtherPromises(
  'a worktree for a folder inside of its repository',
  () => worktreeBench('packages/größe a'),
  { kills: 'it is the same as for the whole repository' },
);
