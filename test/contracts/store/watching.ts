import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { pauseOf } from '../../support/store-requests.ts';
import type { World } from './world.ts';

export function watchingContract(world: World): void {
  describe('when it is watched,', () => {
    test('calls back after a commit of its own, once for all of one turn', async () => {
      let calls = 0;
      world.store.watch(() => calls++);
      await Promise.all(['a', 'b', 'c'].map((id) => world.store.sendCommand(pauseOf('r1', id))));

      await eventually('the watcher is called', () => calls > 0);
      expect(calls).toBe(1);
    });

    test('calls back after a commit through another handle', async () => {
      const another = await world.openAnother();
      let calls = 0;
      world.store.watch(() => calls++);
      await another.sendCommand(pauseOf('r1'));

      await eventually('the watcher is called', () => calls > 0);
      expect(await world.store.pendingCommands('r1')).toHaveLength(1);
    });

    test('leaves alone who has stopped watching', async () => {
      const heard: string[] = [];
      const listener = (): number => heard.push('stopped');
      const stop = world.store.watch(listener);
      world.store.watch(() => heard.push('watching'));
      stop();
      await world.store.sendCommand(pauseOf('r1'));

      await eventually('the other watcher is called', () => heard.length > 0);
      expect(heard).toEqual(['watching']);
    });
  });
}
