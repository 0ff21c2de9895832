import { hash } from 'node:crypto';
import { canonicalJson, type Json } from './json.ts';

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The same for equal values, whatever the order of their keys. */
export function hashJson(value: Json): string {
  return sha256(canonicalJson(value));
}

/** The hash before the first link of a chain. */
export const genesis = '0'.repeat(64);

/** Of a text in a chain: of the hash before it, and of the text as it is stored. */
export function chainHash(previousHash: string, body: string): string {
  return sha256(previousHash + body);
}
