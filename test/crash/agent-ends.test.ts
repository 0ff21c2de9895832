/** Agents that are ended because they stay or say nothing any more; their driver is killed around that. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { executionsOf } from '../support/commands.ts';
import { killAt } from '../support/kill.ts';
import { eventsOf, played, writeFlow } from '../support/scripted-place.ts';
import { startProgram, type Program } from '../support/start-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const trace = (name: string): object => ({ run: `printf '%s\\n' ${name} >> ledger` });

function drive(folder: string, env: Readonly<Record<string, string>> = {}): Program {
  return startProgram('drive-commands', {
    args: [JSON.stringify({ folders: [folder], lingerMs: 100 })],
    env,
  });
}

async function endsOf(folder: string): Promise<unknown[]> {
  await using piton = await open({ store: `sqlite:${join(folder, 'piton.db')}` });
  return (await eventsOf(await piton.find('run'))).flatMap((event) =>
    event.type === 'attempt.ended' ? [event.data.outcome] : [],
  );
}

test.each(['engine:before-end-of-over#1', 'spool:fence-between-term-and-kill#1', 'engine:after-fence#1'])(
  'one that stays after its result has done its work once, whose driver is killed at %s',
  async (point) => {
    const folder = temporaryFolder();
    writeFlow(folder, { build: played([[trace('work'), { answer: 'built' }, { hang: true }]]) });
    await killAt(point, (env) => drive(folder, env));
    expect((await drive(folder).ended()).lines).toContain('ended succeeded');
    expect(executionsOf(folder)).toEqual({ work: 1 });
    expect(await endsOf(folder)).toEqual(['succeeded']);
  },
);

test('one that says nothing any more is interrupted once, and goes on, wherever its driver is killed', async () => {
  // All at once: they wait for time to pass.
  const points = ['engine:before-end-of-idle#1', 'engine:after-stop-note#1', 'engine:after-fence#1'];
  const found = await Promise.all(points.map((point) => afterKillOfIdle(point)));
  const expected = { isDone: true, ran: { begin: 1, finish: 1 }, ends: ['interrupted', 'succeeded'] };
  expect(found).toEqual(points.map((point) => ({ point, ...expected })));
});

async function afterKillOfIdle(point: string): Promise<object> {
  const folder = temporaryFolder();
  const turns = [
    [trace('begin'), { hang: true }],
    [trace('finish'), { answer: 'built' }],
  ];
  writeFlow(folder, { build: played(turns, { 'idle-timeout': '4s' }) });
  await killAt(point, (env) => drive(folder, env));
  const { lines } = await drive(folder).ended();
  const isDone = lines.includes('ended succeeded');
  return { point, isDone, ran: executionsOf(folder), ends: await endsOf(folder) };
}
