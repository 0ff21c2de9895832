import { PitonError } from '../../base/index.ts';

/** A whole number that was given for an option. Throws `USAGE_INVALID`. */
export function readNumber(option: string, text: string, least = 0): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least) return value;
  throw new PitonError('USAGE_INVALID', `${option} is ${text}; it must be a whole number from ${least}.`);
}
