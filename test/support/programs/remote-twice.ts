/** Lets a task work twice in a place on another machine. */
import type { PlaceLife } from '../place-life.ts';
import { openRemote, type RemoteWorld } from '../remote-world.ts';
import { workTwice } from '../work-twice.ts';

const { world, life } = JSON.parse(process.argv[2]!) as { world: RemoteWorld; life: PlaceLife };
await workTwice(openRemote(world), life);
