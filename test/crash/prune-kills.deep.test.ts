import { others } from '../support/kill.ts';
import { pruneKills } from './prune-kills.ts';

pruneKills(others(5));
