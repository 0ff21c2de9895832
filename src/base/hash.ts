import { hash } from 'node:crypto';
import { canonicalJson, type Json } from './json.ts';

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The same for equal values, whatever the order of their keys. */
export function hashJson(value: Json): string {
  return sha256(canonicalJson(value));
}
