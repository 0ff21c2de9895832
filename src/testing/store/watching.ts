import { expect } from '../expect.ts';
import { eventually } from '../eventually.ts';
import { pauseOf } from '../store-requests.ts';
import type { World } from './world.ts';

export function watchingContract(world: World): void {
  const { describe, test } = world.framework;
  describe('when it is watched,', () => {
    test('does not call back after commits of its own', async () => {
      const another = await world.openAnother();
      const heard: string[] = [];
      world.store.watch(() => heard.push('the one that wrote'));
      another.watch(() => heard.push('the other'));
      await Promise.all(['a', 'b', 'c'].map((id) => world.store.sendCommand(pauseOf('r1', id))));

      await eventually('the other watcher is called', () => heard.length > 0);
      expect(heard).toEqual(['the other']);
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
      const another = await world.openAnother();
      await another.sendCommand(pauseOf('r1'));

      await eventually('the other watcher is called', () => heard.length > 0);
      expect(heard).toEqual(['watching']);
    });
  });
}
