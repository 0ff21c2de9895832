import { expect, test } from 'vitest';
import { PitonError } from '../../src/base/index.ts';
import { Damages } from '../../src/interfaces/cli/damages.ts';
import { waitingTasks } from '../../src/interfaces/cli/waiting-tasks.ts';
import type { Piton } from '../../src/library/index.ts';

test.each([
  ['RUN_DAMAGED', 'piton verify bad --repair'],
  ['RUN_TOO_NEW', 'piton verify bad'],
  ['RUN_UNREADABLE', 'piton verify bad'],
])('a run that cannot be read (%s) does not hide what waits in others', async (code, command) => {
  const checkpoints: Record<string, () => object> = {
    bad: () => {
      throw new PitonError(code, 'It cannot be read.');
    },
    good: () => ({
      tasks: {
        a: { status: 'held', reason: 'Go?', actions: ['approve'] },
        b: { status: 'held', reason: 'Beyond.', actions: ['adopt'] },
      },
    }),
  };
  const piton = {
    list: async () => Object.keys(checkpoints).map((run) => ({ run, workflow: 'flow', updatedAt: 1 })),
    findLostEnd: async () => undefined,
    find: async (run: string) => ({ checkpoint: async () => checkpoints[run]!() }),
  };
  expect(await waitingTasks(piton as unknown as Piton, new Damages())).toMatchObject([
    { run: 'bad', reason: expect.stringContaining('It cannot be read.'), commands: [command] },
    { run: 'good', task: 'a', actions: ['approve'], commands: ['piton approve good a'] },
    {
      run: 'good',
      task: 'b',
      actions: ['diff', 'adopt'],
      commands: ['piton diff good b --patch', 'piton workspace adopt b --run good'],
    },
  ]);
});
