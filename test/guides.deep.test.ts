import { describe } from 'vitest';
import { followGuides } from './support/guides.ts';

describe('a reader who follows the guide gets what it says', () => {
  followGuides(['quick-start', 'worktrees', 'delivery']);
});
