import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const pool = new Uint8Array(4096);
let used = pool.length;

/** A random name of `length` characters of five bits each: safe in file names, refs and URLs. */
export function randomId(length = 16): string {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let id = '';
  for (let index = 0; index < length; index++) id += alphabet[pool[used++]! & 31];
  return id;
}
