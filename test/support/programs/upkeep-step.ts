/** Takes one step of those who look after places. */
import type { LocalWorld } from '../local-places.ts';
import { takeStep, type UpkeepStep } from '../upkeep-steps.ts';

const { world, step } = JSON.parse(process.argv[2]!) as { world: LocalWorld; step: UpkeepStep };
await takeStep(world, step);
