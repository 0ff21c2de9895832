/** Lets a place on this machine change hands, and says how it ended. */
import { openLocal, type LocalWorld } from '../local-places.ts';
import { changeHands, type PlaceHands } from '../place-hands.ts';

const { world, hands } = JSON.parse(process.argv[2]!) as { world: LocalWorld; hands: PlaceHands };
await changeHands(openLocal(world).places, hands);
console.log('changed');
