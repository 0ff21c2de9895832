import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { followGuides, guidesToFollow } from './support/guides.ts';

describe('a reader who follows the guide gets what it says', () => {
  followGuides([
    'recovery',
    'troubleshooting',
    'yaml',
    'agents',
    'scripted',
    'questions',
    'from-github-actions',
    'time-travel',
    'naming-runs',
    'keeping-state',
    'removing-runs',
    'moving-runs',
  ]);
});

test('every guide with commands is followed: here, or in the deep suite', () => {
  const tests = globSync('test/guides*.test.ts').map((file) => readFileSync(file, 'utf8'));
  const followed = tests.flatMap((text) => /followGuides\(\[(.*?)\]/s.exec(text)![1]!.match(/[\w-]+/g)!);
  expect(guidesToFollow().toSorted()).toEqual(followed.toSorted());
});
