import {
  forgeFolders,
  namesSteering,
  steeringFiles,
  steeringFolders,
  steeringPartOf,
} from '../model/index.ts';
import type { AgentRequest } from './contract.ts';

type Where = Pick<AgentRequest, 'directory' | 'writes'>;

/**
 * What the agents themselves, git, Piton and servers obey when they start. Whoever may write there may do anything, if not now then
 * next time: so it is no part of the files that an agent may edit unasked, unless its task names it.
 */
export interface SteeringRules {
  /** Wherever they are. */
  readonly folders: readonly string[];
  /** Only below where the agent works, which is itself below one of that name. */
  readonly foldersBelow: readonly string[];
  readonly files: readonly string[];
}

export function steeringRules({ directory, writes = [] }: Where): SteeringRules {
  const above = new Set(directory.split(/[/\\]/));
  const isClosed = (path: string): boolean => !namesSteering(writes, path.split('/')[0]!);
  const folders = [...steeringFolders, ...forgeFolders].filter(isClosed);
  const isAbove = (path: string): boolean => above.has(path.split('/')[0]!);
  return {
    folders: folders.filter((folder) => !isAbove(folder)),
    foldersBelow: folders.filter(isAbove),
    files: [...steeringFiles].filter(isClosed),
  };
}

/** Whether a path, from where the agent works, leads there. */
export function isSteering(path: string, writes: readonly string[] = []): boolean {
  const part = steeringPartOf(path.replaceAll('\\', '/'));
  return part !== undefined && !namesSteering(writes, part);
}
