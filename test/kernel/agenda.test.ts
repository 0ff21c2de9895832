import { expect, test } from 'vitest';
import { Queue } from '../../src/kernel/agenda.ts';

test('a queue gives what was put in, first in first out, however much has gone through it', () => {
  const queue = new Queue<number>();
  expect(queue.take()).toBeUndefined();
  let taken = 0;
  for (let put = 0; put < 10_000; put++) {
    queue.push(put);
    if (put % 4 === 3) for (let times = 0; times < 3; times++) expect(queue.take()).toBe(taken++);
    expect(queue.size).toBe(put + 1 - taken);
  }
  while (queue.size > 0) expect(queue.take()).toBe(taken++);
  expect(taken).toBe(10_000);
  expect(queue.take()).toBeUndefined();
});
