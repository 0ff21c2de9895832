import { wrongColumnsSuite } from './wrong-columns.ts';

wrongColumnsSuite((table, kind) => table !== 'runs' || kind !== 'flipped');
