/** Lives the life of a place on another machine, and says how it ended. */
import { livePlace, type PlaceLife } from '../place-life.ts';
import { openRemote, type RemoteWorld } from '../remote-world.ts';

const { world, life } = JSON.parse(process.argv[2]!) as { world: RemoteWorld; life: PlaceLife };
await livePlace(openRemote(world), life);
console.log('lived');
