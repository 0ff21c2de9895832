import { expect, test } from 'vitest';
import { blamePrompt } from '../../src/definition/yaml/prompt-files.ts';

const at = ['tasks', 'a', 'prompt'];
const prompts = [
  { at: ['tasks', 'other', 'prompt'], file: 'other.md', text: 'x' },
  { at, file: 'a.md', text: 'one\ntwo ${{ bad }}\n' },
];

test('what is wrong with a prompt file is shown there, by line and column', () => {
  const finding = { at, message: 'bad', offset: 8 };
  expect(blamePrompt(finding, prompts)).toEqual({
    ...finding,
    elsewhere: { file: 'a.md', line: 2, column: 5 },
  });
});

test.for([
  { at, message: 'no place in it is known' },
  { at: ['tasks', 'a'], message: 'the task', offset: 8 },
  { at: ['tasks', 'a', 'prompt', 'x'], message: 'deeper', offset: 8 },
  { at: ['tasks', 'b', 'prompt'], message: 'another', offset: 8 },
])('of others nothing is said: $message', (finding) => {
  expect(blamePrompt(finding, prompts)).toBe(finding);
});
