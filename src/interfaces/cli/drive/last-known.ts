/**
 * For what is drawn again and again, and cannot wait: what was known of each when it was last asked. It is asked anew each time, once
 * at a time.
 */
export function lastKnown<T>(
  ask: (attempt: string) => Promise<T | undefined>,
): (attempt: string) => T | undefined {
  const known = new Map<string, T | undefined>();
  const asked = new Set<string>();
  const learn = async (attempt: string): Promise<void> => {
    asked.add(attempt);
    try {
      known.set(attempt, await ask(attempt));
    } catch {
      // What cannot be read now is read for the next frame.
    } finally {
      asked.delete(attempt);
    }
  };
  return (attempt) => {
    if (!asked.has(attempt)) void learn(attempt);
    return known.get(attempt);
  };
}
