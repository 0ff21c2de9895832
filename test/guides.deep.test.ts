import { describe } from 'vitest';
import { followGuides, followInOneFolder, guidesToFollow } from './support/guides.ts';

describe('a reader who follows the guide gets what it says', () => {
  followGuides(['quick-start', 'worktrees', 'delivery']);
});

describe('a reader who follows all guides in one folder, one after another, gets what they say', () => {
  const firstOnes = ['quick-start', 'yaml', 'scripted', 'agents', 'worktrees', 'delivery', 'recovery'];
  followInOneFolder([...firstOnes, ...guidesToFollow().filter((name) => !firstOnes.includes(name))]);
});

describe('in the opposite order too, after the quick start', () => {
  const others = guidesToFollow().filter((name) => name !== 'quick-start');
  followInOneFolder(['quick-start', ...others.toSorted().toReversed()]);
});
