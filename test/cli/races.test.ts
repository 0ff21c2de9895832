import { describe, test } from 'vitest';
import { race, scenes } from './races.ts';

describe.each(scenes)('of $what', (scene) => {
  test.each(Object.keys(scene.commands))(
    '%s counts once it has come first: whoever looked before is told, and nothing is done twice',
    (first) => race(scene, first),
  );
});
