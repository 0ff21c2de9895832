type Method = (...given: unknown[]) => Promise<unknown>;

/** Opened when one of its methods is first called; all of these give promises. They are listed, so that nothing else can be asked of it. */
export function lazily<Opened extends object>(
  open: () => Promise<Opened>,
  methods: Readonly<Record<keyof Opened, true>>,
): Opened {
  let opening: Promise<Opened> | undefined;
  const call =
    (name: string): Method =>
    async (...given) => {
      const opened = (await (opening ??= open())) as Readonly<Record<string, Method>>;
      return opened[name]!(...given);
    };
  return Object.fromEntries(Object.keys(methods).map((name) => [name, call(name)])) as Opened;
}
