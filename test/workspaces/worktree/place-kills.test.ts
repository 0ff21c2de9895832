import { test } from 'vitest';
import { some } from '../../support/kill.ts';
import { killLives } from './place-kills.ts';

test('places prepared, taken over, saved, lost, discarded and cleaned end the same, killed after some of their effects', () =>
  killLives(some(4)));
