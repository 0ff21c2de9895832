/** Takes the first start of a program, says so, and keeps it until its input ends. `take-first-start.ts <starting as JSON>` */
import { once } from 'node:events';
import { firstStart, type Starting } from '../../../src/engine/first-start.ts';

const starting = JSON.parse(process.argv[2]!) as Starting;
const first = await firstStart(starting, new AbortController().signal);
console.log(first === undefined ? 'not alone' : 'alone');
process.stdin.resume();
await once(process.stdin, 'end');
first?.done();
