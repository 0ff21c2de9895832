import { expect } from '../expect.ts';
import { findLease } from '../../store/index.ts';
import { appending, creation, pauseOf, taking } from '../store-requests.ts';
import type { World } from './world.ts';

export function inboxContract(world: World): void {
  const { describe, test } = world.framework;
  describe('as an inbox,', () => {
    test('keeps commands in order until they are answered by a commit', async () => {
      const another = await world.openAnother();
      const lease = await world.store.createRun(creation('r1'));
      const [one, two] = [pauseOf('r1', 'z-first'), pauseOf('r1', 'a-second')];
      await another.sendCommand(one);
      await another.sendCommand(two);
      await another.sendCommand(pauseOf('other', 'elsewhere'));
      expect(await world.store.pendingCommands('r1')).toEqual([one, two]);

      const answer = { accepted: true, text: 'paused' };
      await world.store.append(appending(lease, 2, { answers: [{ id: one.id, answer }] }));
      expect(await world.store.pendingCommands('r1')).toEqual([two]);
      expect(await another.findCommand(one.id)).toEqual({ ...one, answer });
      expect(await another.findCommand('unknown')).toBeUndefined();
    });

    test('gives the commands for many runs at once, in order of arrival, and none for others', async () => {
      const lease = await world.store.createRun(creation('r1'));
      const sent = ['r2', 'other', 'r1', 'r2', 'r1'].map((run, index) => pauseOf(run, `c${index}`));
      for (const command of sent) await world.store.sendCommand(command);
      const answers = [{ id: 'c2', answer: { accepted: true, text: 'paused' } }];
      await world.store.append(appending(lease, 2, { answers }));
      const idle = Array.from({ length: 40_000 }, (_, index) => `idle-${index}`);

      expect(await world.store.pendingCommands(['r1', ...idle, 'r2'])).toEqual([sent[0], sent[3], sent[4]]);
      expect(await world.store.pendingCommands(idle)).toEqual([]);
      expect(await world.store.pendingCommands([])).toEqual([]);
    });

    test('takes the same id twice for the same command', async () => {
      await world.store.sendCommand(pauseOf('r1', 'c1'));
      await world.store.sendCommand({ ...pauseOf('r1', 'c1'), command: { type: 'resume' } });

      expect(await world.store.pendingCommands('r1')).toEqual([pauseOf('r1', 'c1')]);
    });

    test('lets a command be decided once', async () => {
      const lease = await world.store.createRun(creation('r1'));
      await world.store.sendCommand(pauseOf('r1', 'c1'));
      const yes = { id: 'c1', answer: { accepted: true, text: 'yes' } };
      await world.store.append(appending(lease, 2, { answers: [yes] }));
      await world.store.append(
        appending(lease, 3, { answers: [{ id: 'c1', answer: { accepted: false, text: 'no' } }] }),
      );
      await world.store.sendCommand(pauseOf('r1', 'c1'));

      expect((await world.store.findCommand('c1'))?.answer).toEqual(yes.answer);
    });

    test('lets no run answer the commands of another', async () => {
      const lease = await world.store.createRun(creation('r1'));
      await world.store.sendCommand(pauseOf('r2', 'c2'));
      const answers = [{ id: 'c2', answer: { accepted: true, text: 'mine' } }];
      await world.store.append(appending(lease, 2, { answers, release: { leftOver: answers[0]!.answer } }));

      expect(await world.store.pendingCommands('r2')).toHaveLength(1);
    });

    test('answers nothing by a commit that was refused', async () => {
      const lease = await world.store.createRun(creation('r1'));
      await world.store.sendCommand(pauseOf('r1', 'c1'));
      const answers = [{ id: 'c1', answer: { accepted: true, text: 'yes' } }];
      await expect(world.store.append(appending(lease, 9, { answers }))).rejects.toMatchObject({
        code: 'SEQ_CONFLICT',
      });

      expect(await world.store.pendingCommands('r1')).toHaveLength(1);
    });

    test('answers what is left over in the commit that releases the lease', async () => {
      const lease = await world.store.createRun(creation('r1'));
      await world.store.sendCommand(pauseOf('r1', 'decided'));
      await world.store.sendCommand(pauseOf('r1', 'left'));
      const leftOver = { accepted: false, text: 'the run has ended' };
      const answers = [{ id: 'decided', answer: { accepted: true, text: 'yes' } }];
      await world.store.append(appending(lease, 2, { answers, release: { leftOver } }));

      expect((await world.store.findCommand('decided'))?.answer?.text).toBe('yes');
      expect((await world.store.findCommand('left'))?.answer).toEqual(leftOver);
      expect(await world.store.pendingCommands('r1')).toEqual([]);
      expect(await findLease(world.store, 'run:r1')).toBeUndefined();
    });

    test('keeps commands waiting when a lease is released without an answer for them', async () => {
      const lease = await world.store.createRun(creation('r1'));
      await world.store.sendCommand(pauseOf('r1', 'c1'));
      await world.store.append(appending(lease, 2, { release: {} }));

      expect(await world.store.pendingCommands('r1')).toHaveLength(1);
      expect((await world.store.takeLease(taking('run:r1'))).taken).toBe(true);
    });
  });
}
