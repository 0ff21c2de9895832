import { describe } from 'vitest';
import { some } from '../../support/kill.ts';
import { killIntegrations } from './integrate-kills.ts';

describe('killed after one effect that can be seen, and done again, it ends as if nothing had happened', () => {
  killIntegrations(some(1));
});
