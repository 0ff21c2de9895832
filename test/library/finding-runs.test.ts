import { expect, test } from 'vitest';
import { workflow } from '../../src/index.ts';
import type { Piton } from '../../src/index.ts';
import { openPiton } from '../support/open-piton.ts';

async function withRuns(...ids: readonly string[]): Promise<Piton> {
  const piton = await openPiton();
  const flow = workflow('flow').task('a', () => 1);
  for (const id of ids) await (await piton.start(flow, { id })).result();
  return piton;
}

test('a run is meant by its id, or by a beginning that is no other one’s', async () => {
  const piton = await withRuns('alpha', 'beta');
  expect(await piton.findRecord('alpha')).toMatchObject({ run: 'alpha' });
  expect(await piton.findRecord('b')).toMatchObject({ run: 'beta' });
});

test('a run whose very id was given is meant, though others begin so', async () => {
  const piton = await withRuns('v1', 'v1-again', 'v10');
  expect(await piton.findRecord('v1')).toMatchObject({ run: 'v1' });
});

test('a run whose very id was given is meant, though hundreds of newer ones begin so', async () => {
  const piton = await withRuns('v1', ...Array.from({ length: 500 }, (_, index) => `v1-${index}`));
  expect(await piton.findRecord('v1')).toMatchObject({ run: 'v1' });
});

test('a beginning of several is refused, and they are named', async () => {
  const piton = await withRuns('v1-a', 'v1-b');
  await expect(piton.findRecord('v1')).rejects.toMatchObject({
    code: 'RUN_AMBIGUOUS',
    details: { runs: expect.arrayContaining(['v1-a', 'v1-b']) },
  });
});

test('an empty id is a variable that was never set, not the only run there is', async () => {
  const piton = await withRuns('only');
  await expect(piton.findRecord('')).rejects.toMatchObject({ code: 'USAGE_INVALID' });
  expect(await piton.findRecord()).toMatchObject({ run: 'only' });
});

test('one that is not there is told, with the nearest that is', async () => {
  const piton = await withRuns('release');
  await expect(piton.findRecord('relaese')).rejects.toMatchObject({
    code: 'RUN_NOT_FOUND',
    remedy: 'Did you mean release?',
  });
  await expect((await withRuns()).findRecord()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
});
