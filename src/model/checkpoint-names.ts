const pattern = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

/** Why a checkpoint cannot be called that, if so. Numbers, times and `before:` mean something else. */
export function whyNotCheckpointName(name: unknown): string | undefined {
  if (typeof name === 'string' && pattern.test(name)) return undefined;
  return 'the name of a checkpoint has up to 64 letters, digits and . _ - and begins with a letter';
}
