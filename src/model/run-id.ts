import { PitonError } from '../base/index.ts';

/** Throws `RUN_ID_INVALID`. */
export function assertRunId(id: unknown): asserts id is string {
  if (typeof id === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(id)) return;
  throw new PitonError(
    'RUN_ID_INVALID',
    `${typeof id === 'string' ? `"${id}"` : `A value of type ${typeof id}`} cannot be the id of a run.`,
    {
      id,
      remedy: 'Use up to 128 letters, digits and . _ : - and begin with a letter or digit.',
    },
  );
}
