import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Requests come as lines of JSON, one at a time; each is answered by one. Ends with its input. */
export async function answerRequests(measure) {
  console.log(JSON.stringify({ ready: true, node: process.version }));
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await measure(JSON.parse(line)).catch((error) => ({
      error: String(error?.stack ?? error),
    }));
    console.log(JSON.stringify(answer));
  }
}

/** The time of one run, or of many with a limited number at once. */
export async function timed({ runs = 1, concurrency = 1 }, runOnce) {
  let started = 0;
  const worker = async () => {
    while (started++ < runs) await runOnce();
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  return performance.now() - startedAt;
}

export async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'piton-peer-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Text without repetitions: nobody stores it in less room than it has, nor two of them only once. */
export function noteOf(index, bytes) {
  let seed = index + 1;
  let text = '';
  while (text.length < bytes) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    text += seed.toString(36);
  }
  return text.slice(0, bytes);
}
