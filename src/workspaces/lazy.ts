import type { Workspaces } from './contract.ts';

/** Opened when it is used: most runs need no place of their own. */
export function lazyWorkspaces(open: () => Promise<Workspaces>): Workspaces {
  let opening: Promise<Workspaces> | undefined;
  const opened = (): Promise<Workspaces> => (opening ??= open());
  return {
    find: async (folder, base) => (await opened()).find(folder, base),
    prepare: async (request) => (await opened()).prepare(request),
    integrate: async (request) => (await opened()).integrate(request),
    clean: async (request, policy) => (await opened()).clean(request, policy),
  };
}
