import { some } from '../support/kill.ts';
import { pruneKills } from './prune-kills.ts';

pruneKills(some(5));
