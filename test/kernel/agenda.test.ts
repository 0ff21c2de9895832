import { expect, test } from 'vitest';
import { Queue } from '../../src/kernel/agenda.ts';

test('a queue gives what was put in, first in first out, however much has gone through it', () => {
  const queue = new Queue<number>();
  const taken: (number | undefined)[] = [];
  const sizes = new Set<boolean>();
  for (let put = 0; put < 10_000; put++) {
    queue.push(put);
    // Three of every four are taken at once, so that it is emptied from the front while it grows.
    for (let times = 0; put % 4 === 3 && times < 3; times++) taken.push(queue.take());
    sizes.add(queue.size === put + 1 - taken.length);
  }
  while (queue.size > 0) taken.push(queue.take());
  expect(taken).toEqual(Array.from({ length: 10_000 }, (_, index) => index));
  expect(sizes).toEqual(new Set([true]));
  expect(queue.take()).toBeUndefined();
});
