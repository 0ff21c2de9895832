/** Lives the life of a place on this machine, and says how it ended. */
import { livePlace, type PlaceLife } from '../place-life.ts';
import { openLocal, type LocalWorld } from '../local-places.ts';

const { world, life } = JSON.parse(process.argv[2]!) as { world: LocalWorld; life: PlaceLife };
await livePlace(openLocal(world).places, life);
console.log('lived');
