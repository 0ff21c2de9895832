import { describe } from 'vitest';
import { others } from '../../support/kill.ts';
import { killIntegrations } from './integrate-kills.ts';

describe('killed after each other effect that can be seen, and done again, it ends as if nothing had happened', () => {
  killIntegrations(others(1));
});
