import { cleanupPolicies } from '../model/index.ts';
import type { DeliverySettings, WorkspaceSettings } from './config.ts';
import type { RemoteMachine } from '../model/index.ts';
import {
  durationIn,
  entriesOf,
  invalid,
  itemsOf,
  readAll,
  readEach,
  sizeIn,
  textIn,
  wordIn,
  type Readers,
  type Setting,
} from './config-source.ts';

const workspaceReaders: Readers<WorkspaceSettings> = {
  mode: (setting) => ({ mode: wordIn(setting, ['worktree', 'directory', 'shared'] as const) }),
  keep: (setting) => ({ keepMs: durationIn(setting, 0) }),
  quota: (setting) => ({ quotaBytes: sizeIn(setting) }),
  cleanup: (setting) => ({ cleanup: wordIn(setting, cleanupPolicies) }),
  disposable: (setting) => ({
    disposable: readEach(itemsOf(setting), (item) =>
      nameIn(item, 'the name of a folder, such as node_modules'),
    ),
  }),
};

/** `workspaces`: what becomes of places whose tasks have ended, and how much may be left of them. */
export function readWorkspaces(setting: Setting): WorkspaceSettings {
  return readAll(setting, workspaceReaders, 'setting of workspaces');
}

const deliveryReaders: Readers<DeliverySettings> = {
  remote: (setting) => ({ remote: nameIn(setting, 'the name of a remote of git, such as origin') }),
  command: (setting) => ({ command: textIn(setting, 'a command that opens a pull request') }),
};

/** `delivery`: where and how the work of runs is handed over. */
export function readDelivery(setting: Setting): DeliverySettings {
  return readAll(setting, deliveryReaders, 'setting of deliveries');
}

const remoteReaders: Readers<Partial<RemoteMachine>> = {
  host: (setting) => ({
    host: nameIn(setting, 'a machine as one writes it after ssh, such as user@machine'),
  }),
  folder: (setting) => ({ folder: textIn(setting, 'the path of a folder on that machine') }),
  ssh: (setting) => ({ ssh: readEach(itemsOf(setting), (item) => textIn(item, 'an option of ssh')) }),
  env: (setting) => ({
    env: readEach(itemsOf(setting), (item) => nameIn(item, 'the name of an environment variable')),
  }),
};

/** `remotes`: machines where tasks can work, by the names that workflows have for them. */
export function readRemotes(setting: Setting): Readonly<Record<string, RemoteMachine>> {
  return Object.fromEntries(
    readEach(entriesOf(setting), ([name, entry]) => [name, readRemote(name, entry)] as const),
  );
}

function readRemote(name: string, setting: Setting): RemoteMachine {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name))
    throw invalid(setting, 'is no name for a machine', 'Write one without blanks and signs, such as box.');
  const { host, ...rest } = readAll(setting, remoteReaders, 'setting of a machine');
  if (host !== undefined) return { host, ...rest };
  throw invalid(setting, 'lacks its host', 'Add `host: user@machine`, as you would write it after ssh.');
}

/** What begins with `-` would be an option for ssh or git, not a name. */
function nameIn(setting: Setting, what: string): string {
  const { value } = setting;
  if (typeof value === 'string' && /^[^\s\p{Cc}-][^\s\p{Cc}]*$/u.test(value)) return value;
  throw invalid(setting, `must be ${what}`);
}
