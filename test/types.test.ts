import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('the library is typed end to end: what must be an error is one, and nothing else is', () => {
  const config = { encoding: 'utf8', stdio: 'pipe' } as const;
  expect(() => execFileSync('tsc', ['-p', 'test/types/tsconfig.json'], config)).not.toThrow();
});
