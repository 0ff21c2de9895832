/** Functions are known by their text or, where they have one, by their version. */
import { expect, onTestFinished, test } from 'vitest';
import { chain, parallel, workflow, type Definition, type Piton } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { openPiton } from '../support/open-piton.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Work = () => unknown;

const flow = (first: Work, last: Work, version?: string): Definition<object> =>
  workflow('flow')
    .task('first', first)
    .task('last', { needs: ['first'], approval: 'Go?', ...(version !== undefined && { version }) }, last);

async function parked(definition: Definition<object>): Promise<Piton> {
  const store = `sqlite:${temporaryFolder()}/state.db`;
  const piton = await openPiton({ store, durability: 'process' });
  const run = await piton.start(definition, { id: 'r' });
  await eventually('it waits for a person', async () => (await run.checkpoint()).status === 'held');
  await piton.close();
  return openPiton({ store, durability: 'process' });
}

/** What the process is warned of while a run goes on. */
async function warnings(act: () => Promise<unknown>): Promise<readonly string[]> {
  const told: string[] = [];
  const hear = ({ message, name }: Error): void => void (name === 'PitonWarning' && told.push(message));
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  await act();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', hear);
  return told;
}

const driven = async (piton: Piton) =>
  (await Array.fromAsync((await piton.find('r')).events())).flatMap((event) =>
    event.type === 'lease.taken'
      ? [(event.data.functions ?? []).map(({ name, since }) => [name, since !== undefined])]
      : [],
  );

test('other text of a function that is still to be called is a warning, once, and the run goes on', async () => {
  const piton = await parked(
    flow(
      () => 1,
      () => 2,
    ),
  );
  const told = await warnings(async () => {
    const run = await piton.resume(
      flow(
        () => 1,
        () => 3,
      ),
      'r',
    );
    await run.approve('last');
    expect(await run.result()).toMatchObject({ outputs: { last: 3 } });
  });
  expect(told).toEqual([
    expect.stringMatching(/Run r goes on with other text of the function last than .* since 20.*`version`/),
  ]);
  expect(await driven(piton)).toEqual([
    [
      ['first', false],
      ['last', false],
    ],
    [['last', true]],
  ]);
});

test('nothing is told of what has settled, nor of the same text formatted otherwise', async () => {
  const piton = await parked(flow(() => 1, new Function('return  2;') as Work));
  const other = flow(() => 'other', new Function('return 2;') as Work);
  expect(await warnings(() => piton.resume(other, 'r'))).toEqual([]);
});

test('a function with a version is compared by that alone', async () => {
  const piton = await parked(
    flow(
      () => 1,
      () => 2,
      '1',
    ),
  );
  expect(
    await warnings(() =>
      piton.resume(
        flow(
          () => 1,
          () => 3,
          '1',
        ),
        'r',
      ),
    ),
  ).toEqual([]);
  const other = await parked(
    flow(
      () => 1,
      () => 2,
      '1',
    ),
  );
  await expect(
    other.resume(
      flow(
        () => 1,
        () => 3,
        '2',
      ),
      'r',
    ),
  ).rejects.toMatchObject({ code: 'RUN_CHANGED' });
});

test('whoever observes is told by the event', async () => {
  const piton = await parked(
    flow(
      () => 1,
      () => 2,
    ),
  );
  const heard: unknown[] = [];
  piton.observe((event) => void (event.type === 'lease.taken' && heard.push(event.data.functions)));
  expect(
    await warnings(() =>
      piton.resume(
        flow(
          () => 1,
          () => 3,
        ),
        'r',
      ),
    ),
  ).toEqual([]);
  expect(heard).toMatchObject([[{ name: 'last', since: expect.any(Number) }]]);
});

test('the text is that of the user, wherever a function is wrapped, and the hash of a definition does not depend on it', async () => {
  const piton = await openPiton();
  const one = chain<number, number>('c', ({ item, result }) => item + result);
  const two = chain<number, number>('c', ({ item, result }) => item - result);
  expect(one.workflow.hash).toBe(two.workflow.hash);
  const each = parallel<number, number>('p', (item) => item);
  const sources: unknown[] = [];
  piton.observe((event) => void (event.type === 'lease.taken' && sources.push(event.data.functions)));
  await (await piton.start(one, { inputs: { items: [1], initial: 0 } })).result();
  await (await piton.start(two, { inputs: { items: [1], initial: 0 } })).result();
  await (await piton.start(each, { inputs: { items: [1] } })).result();
  const [plus, minus, same] = sources as { name: string; source: string }[][];
  expect([plus, minus, same].map((list) => list!.map(({ name }) => name))).toEqual([
    ['step'],
    ['step'],
    ['each'],
  ]);
  expect(plus![0]!.source).not.toBe(minus![0]!.source);
});
