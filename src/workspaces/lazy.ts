type Method = (...given: unknown[]) => Promise<unknown>;

/** Opened when one of its methods is first called; all of these have to give promises. */
export function lazily<Opened extends object>(open: () => Promise<Opened>): Opened {
  let opening: Promise<Opened> | undefined;
  const call =
    (name: string): Method =>
    async (...given) => {
      const opened = (await (opening ??= open())) as Readonly<Record<string, Method>>;
      return opened[name]!(...given);
    };
  // Whoever awaits it asks whether it is a promise.
  return new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : call(String(name))) }) as Opened;
}
