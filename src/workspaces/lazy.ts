import type { Upkeep, Workspaces } from './contract.ts';

/** Opened when it is used: most runs need no place of their own. */
export function lazyWorkspaces(open: () => Promise<Workspaces>): Workspaces {
  let opening: Promise<Workspaces> | undefined;
  const opened = (): Promise<Workspaces> => (opening ??= open());
  return {
    find: async (folder, base) => (await opened()).find(folder, base),
    assertFree: async (repository, run) => (await opened()).assertFree(repository, run),
    prepare: async (request) => (await opened()).prepare(request),
    enter: async (request, order) => (await opened()).enter(request, order),
    save: async (request) => (await opened()).save(request),
    keepArtifacts: async (order) => (await opened()).keepArtifacts(order),
    integrate: async (request) => (await opened()).integrate(request),
    clean: async (request, policy) => (await opened()).clean(request, policy),
    look: async (requests) => (await opened()).look(requests),
    strays: async (repository, recorded) => (await opened()).strays(repository, recorded),
    cleanStray: async (repository, stray) => (await opened()).cleanStray(repository, stray),
    archives: async (repository) => (await opened()).archives(repository),
    restore: async (repository, ref, folder) => (await opened()).restore(repository, ref, folder),
  };
}

export function lazyUpkeep(open: () => Promise<Upkeep>): Upkeep {
  let opening: Promise<Upkeep> | undefined;
  const opened = (): Promise<Upkeep> => (opening ??= open());
  return {
    bytesOf: async (repository, name) => (await opened()).bytesOf(repository, name),
    dropArchive: async (repository, ref) => (await opened()).dropArchive(repository, ref),
    mergedBranches: async (repository, runs) => (await opened()).mergedBranches(repository, runs),
    dropBranch: async (repository, branch) => (await opened()).dropBranch(repository, branch),
  };
}
