import { describeMainPromises } from './conformance.ts';
import { worktreeBench } from './conformance/worktree-bench.ts';

describeMainPromises('a worktree for a folder inside of its repository', () =>
  worktreeBench('packages/größe a'),
);
