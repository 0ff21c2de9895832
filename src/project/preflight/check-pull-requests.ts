import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { askGit, withOwnPath } from '../../base/index.ts';
import { findExecutable } from '../../agents/index.ts';
import type { Environment } from '../surroundings.ts';
import type { Lack } from './finding.ts';
import type { CheckedRepository } from './checked-task.ts';

type Delivery = CheckedRepository['deliveries'][number];

/** What opening a pull request needs, and what is not there. The network is not asked. */
export async function checkPullRequests({ deliveries, config, env }: CheckedRepository): Promise<Lack[]> {
  if (deliveries.length === 0) return [];
  const trouble = config.delivery.command === undefined ? await troubleWithGh(env) : undefined;
  return deliveries.flatMap((delivery) => {
    const level = delivery.isOptional() ? 'warning' : 'error';
    const at = { level, task: delivery.path.slice(0, -1), key: 'deliver' } as const;
    return [
      ...(trouble === undefined ? [] : [{ ...at, kind: 'pull-request' as const, ...trouble }]),
      ...checkRemote(delivery, config).map((lack) => ({ ...at, kind: 'remote' as const, ...lack })),
    ];
  });
}

type Told = Pick<Lack, 'message' | 'remedy'> & Partial<Pick<Lack, 'level'>>;

async function troubleWithGh(env: Environment): Promise<Told | undefined> {
  const own = withOwnPath(env);
  const gh = findExecutable('gh', own['PATH'] ?? '');
  if (gh === undefined)
    return {
      message: 'gh, the command line of GitHub, is not on the PATH, and a pull request is to be opened.',
      remedy:
        'Install it (https://cli.github.com), or name a command in `delivery.command` of .piton/config.yaml.',
    };
  if (hasLoginOfGh(env) || (await givesToken(gh, own))) return undefined;
  return { message: 'gh is not logged in.', remedy: 'Log in with gh auth login, or set GH_TOKEN.' };
}

const tokens = ['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];

/** As it keeps it: in its folder it writes down the hosts that it knows, wherever the tokens are. */
function hasLoginOfGh(env: Environment): boolean {
  if (tokens.some((name) => (env[name] ?? '') !== '')) return true;
  const settings = env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? homedir(), '.config');
  return existsSync(join(env['GH_CONFIG_DIR'] ?? join(settings, 'gh'), 'hosts.yml'));
}

const patienceMs = 3_000;

/** Asked only where nothing else tells: a `gh` of one's own may get it from elsewhere. It looks at this machine alone. */
function givesToken(gh: string, env: Environment): Promise<boolean> {
  const quiet = { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1' };
  return new Promise((settle) => {
    const options = { cwd: '/', env: { ...env, ...quiet }, timeout: patienceMs };
    const child = execFile(gh, ['auth', 'token'], options, (error) =>
      settle(error === null || error.killed === true),
    );
    child.stdin?.end();
  });
}

function checkRemote({ spec }: Delivery, { root, delivery }: CheckedRepository['config']): Told[] {
  const { base } = spec.work.pr;
  const { remotes, upstreams } = remotesOf(root);
  const branch = base ?? askGit(['symbolic-ref', '--quiet', '--short', 'HEAD'], root)?.trim() ?? '';
  const remote = delivery.remote ?? upstreams.get(branch) ?? 'origin';
  if (remotes.includes(remote))
    return base === undefined || isKnownBranch(base, { remote, root }) ? [] : [unknownBase(base, remote)];
  return [
    {
      message:
        remotes.length === 0
          ? 'The repository has no remotes: its branch cannot be pushed anywhere.'
          : `The repository has no remote ${remote} to push to. It has ${remotes.join(', ')}.`,
      remedy: `Add one with git remote add ${remote} <url>, or name another in \`delivery.remote\` of .piton/config.yaml.`,
    },
  ];
}

interface Remotes {
  readonly remotes: readonly string[];
  /** By branch, as delivery chooses it: a branch may follow another one of the same repository. */
  readonly upstreams: ReadonlyMap<string, string>;
}

/** All in one question. */
function remotesOf(root: string): Remotes {
  const settings = askGit(['config', '-z', '--get-regexp', '^(remote|branch)\\.'], root) ?? '';
  const entries = settings.split('\0').map((entry) => entry.split('\n'));
  const named = (pattern: RegExp): (readonly [name: string, value: string])[] =>
    entries.flatMap(([key = '', value = '']) => {
      const name = pattern.exec(key)?.[1];
      return name === undefined ? [] : [[name, value] as const];
    });
  const remotes = new Set(named(/^remote\.(.+)\.[^.]+$/).map(([name]) => name));
  const upstreams = named(/^branch\.(.+)\.remote$/).filter(([, remote]) => remote !== '.');
  return { remotes: [...remotes], upstreams: new Map(upstreams) };
}

/** As far as was fetched: of a remote of which nothing was, nothing is known. */
function isKnownBranch(
  base: string,
  { remote, root }: { readonly remote: string; readonly root: string },
): boolean {
  const known = askGit(['for-each-ref', '--format=%(refname)', `refs/remotes/${remote}/`], root) ?? '';
  return known === '' || known.split('\n').includes(`refs/remotes/${remote}/${base}`);
}

function unknownBase(base: string, remote: string): Told {
  const message = `${remote} had no branch ${base} when it was last fetched, and the pull request is to be merged into it.`;
  return { level: 'warning', message, remedy: `See whether it is there now: git fetch ${remote} ${base}` };
}
