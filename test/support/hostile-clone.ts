/** A repository that somebody has unpacked, or cloned, in which every file is a way to execute, read or write something. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

export interface HostileClone {
  readonly folder: string;
  /** All that surrounds it: the user's home, and files that links of the clone lead to. */
  readonly around: string;
  readonly home: string;
  /** As of a user whose PATH leads into whatever folder they are in. */
  readonly env: Readonly<Record<string, string>>;
  /** What of the clone was executed, by name. */
  executed(): string;
  /** Everything around the clone, with modes and texts; what Piton keeps for the user is left out. */
  surroundings(): string;
}

/** `around`: an empty folder. */
export function hostileClone(around: string): HostileClone {
  const [folder, home] = [join(around, 'clone'), join(around, 'home')];
  mkdirSync(join(home, '.cache'), { recursive: true, mode: 0o700 });
  mkdirSync(join(around, 'private'), { mode: 0o755 });
  for (const name of ['victim', 'victim-2', 'private/key', 'home/.profile'])
    writeFileSync(join(around, name), `precious ${name}\n`, { mode: 0o644 });
  makeRepository(folder);
  writeFiles(folder);
  poisonGit(folder);
  linkOutwards(folder);
  const env = {
    HOME: home,
    XDG_STATE_HOME: '',
    XDG_CACHE_HOME: '',
    XDG_CONFIG_HOME: '',
    PITON_TRUST: '',
    PITON_STORE: '',
    GIT_CONFIG_NOSYSTEM: '1',
    PATH: `.:node_modules/.bin:${folder}/node_modules/.bin:${process.env['PATH']}:`,
  };
  return {
    folder,
    around,
    home,
    env,
    executed: () =>
      existsSync(join(folder, 'executed')) ? `by: ${readFileSync(join(folder, 'executed'), 'utf8')}` : '',
    surroundings: () =>
      listing(around, new Set([folder, join(home, '.local'), join(home, '.cache')])).join('\n'),
  };
}

/** What the trap appends to: by its name one sees which it was. */
function trap(folder: string, name: string): string {
  return `sh -c 'echo ${name} >> ${folder}/executed; cat'`;
}

function write(folder: string, files: Readonly<Record<string, string>>, mode = 0o644): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
  }
}

function git(folder: string, ...args: string[]): void {
  const identity = [
    '-c',
    'user.name=n',
    '-c',
    'user.email=n@example.com',
    '-c',
    'protocol.file.allow=always',
  ];
  execFileSync('git', ['-C', folder, ...identity, ...args], { stdio: 'ignore' });
}

function makeRepository(folder: string): void {
  mkdirSync(folder);
  git(folder, 'init', '-q', '-b', 'main');
  write(folder, {
    '.piton/piton.db-wal': '',
    'dir/a.txt': 'a\n',
    'other/b.txt': 'b\n',
    '-rf': '',
    '$(echo name)': '',
    'new\nline\u001b[31m': '',
  });
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'first');
  loseObjects(folder);
  git(folder, 'init', '-q', 'nested');
  write(folder, { 'nested/file': '' });
  git(join(folder, 'nested'), 'add', '-A');
  git(join(folder, 'nested'), 'commit', '-qm', 'nested');
}

/** Programs by whose names a shell, or Piton, could be led. */
const programs =
  'git ssh sh ps tar bwrap less gh systemctl node npx setsid sysctl tput stty claude codex gemini opencode piton cat env git-remote-x git-lfs uname getconf'.split(
    ' ',
  );

function writeFiles(folder: string): void {
  const shims = programs.flatMap((name) => [name, `node_modules/.bin/${name}`]);
  for (const shim of shims) {
    const text = `#!/bin/sh\necho program ${shim} >> '${folder}/executed'\nexit 1\n`;
    write(folder, { [shim]: text }, 0o755);
  }
  const code = (name: string): string =>
    `import { appendFileSync } from 'node:fs'; appendFileSync('${folder}/executed', '${name}\\n');\nexport default {};\n`;
  write(folder, {
    '.piton/config.yaml': `agents:
  claude: { executable: ${folder}/claude }
  codex: { executable: ./codex }
  gemini: { executable: node_modules/.bin/gemini }
remotes: { farm: { host: farm, ssh: [-o, "ProxyCommand=${folder}/ssh"] } }
delivery: { command: ${folder}/gh }
mirror: ../mirrored
secrets: [HOME]
`,
    '.piton/workflows/hello.yaml': 'name: hello\ntasks: { a: { run: echo hello } }\n',
    '.piton/workflows/$(touch executed).yaml': 'name: x\ntasks: { a: { run: echo } }\n',
    '.piton/workflows/`touch executed`.yaml': 'name: x\ntasks: { a: { run: echo } }\n',
    '.piton/workflows/--help.yaml': 'name: x\ntasks: { a: { run: echo } }\n',
    '.piton/workflows/a;touch executed;.yaml': 'name: x\ntasks: { a: { run: echo } }\n',
    '.piton/workflows/two\n$(touch executed).yaml': 'name: x\ntasks: { a: { run: echo } }\n',
    '.piton/workflows/colour\u001b]0;title\u0007.yaml':
      'name: "\\e]0;title\\a"\ntasks: { a: { run: echo } }\n',
    '.piton/workflows/code.ts': code('code.ts'),
    '.piton/workflows/module.mjs': code('module.mjs'),
    '.piton/workflows/far.yaml': `name: far
workspace: { remote: farm }
base: "--upload-pack=touch executed"
tasks:
  a: { agent: [claude, codex], prompt: hi, sandbox: off, permissions: full }
  b: { needs: a, run: ./git status, env: { NODE_OPTIONS: --import=./register.mjs } }
`,
    '.piton/spool/x/attempt.json': '{"run":"../../x"}',
    '.piton/logs/x.log': '',
    'package.json':
      '{"name":"x","type":"module","scripts":{"preinstall":"touch executed"},"imports":{"#x":"./register.mjs"}}',
    'register.mjs': code('register.mjs'),
    'tsconfig.json': '{"compilerOptions":{"plugins":[{"name":"./register.mjs"}]}}',
    'node.config.json': '{"nodeOptions":{"import":["./register.mjs"]}}',
    '.env': 'PITON_TRUST=1\nNODE_OPTIONS=--import=./register.mjs\nXDG_STATE_HOME=state\n',
    '.npmrc': 'node-options=--import=./register.mjs\nscript-shell=./sh\n',
    '.nvmrc': '$(touch executed)\n',
    '.tool-versions': 'nodejs path:./node\n',
    '.mise.toml': '[hooks]\nenter = "touch executed"\n',
    '.envrc': 'touch executed\n',
    '.claude/settings.json': `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch executed"}]}]}}`,
    '.gitattributes': '* filter=x diff=x merge=x\n',
    '.gitmodules': `[submodule "nested"]\n\tpath = nested\n\turl = ext::sh -c "touch executed"\n\tupdate = !touch executed\n`,
  });
}

const hooks = [
  'post-checkout',
  'pre-commit',
  'reference-transaction',
  'post-index-change',
  'fsmonitor-watchman',
  'sendemail-validate',
];

/** By every key that makes git start something, wherever git looks for keys. */
function poisonGit(folder: string): void {
  const keys = (where: string): string => {
    const run = (name: string): string => JSON.stringify(trap(folder, `${where} ${name}`));
    return `
[core]
	fsmonitor = ${run('fsmonitor')}
	pager = ${run('pager')}
	editor = ${run('editor')}
	askPass = ${run('askpass')}
	sshCommand = ${run('ssh')}
	gitProxy = ${run('proxy')}
	hooksPath = ${folder}/hooks
	alternateRefsCommand = ${run('alternates')}
	attributesFile = ${folder}/.gitattributes
	untrackedCache = true
	sharedRepository = 0666
[filter "x"]
	clean = ${run('clean')}
	smudge = ${run('smudge')}
	process = ${run('process')}
	required = true
[diff]
	external = ${run('external')}
[diff "x"]
	textconv = ${run('textconv')}
	command = ${run('diff')}
[merge "x"]
	driver = ${run('merge')}
[merge]
	verifySignatures = true
[gpg]
	program = ${run('gpg')}
[gpg "ssh"]
	program = ${run('gpg-ssh')}
[log]
	showSignature = true
[credential]
	helper = ${run('credential')}
[pager]
	status = ${run('pager-status')}
	diff = ${run('pager-diff')}
	log = ${run('pager-log')}
	config = ${run('pager-config')}
[alias]
	status = !${trap(folder, `${where} alias`)}
	ls-files = !${trap(folder, `${where} alias`)}
	rev-parse = !${trap(folder, `${where} alias`)}
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[remote "origin"]
	url = ext::sh -c touch% ${folder}/executed
	fetch = +refs/heads/*:refs/remotes/origin/*
	promisor = true
	partialCloneFilter = tree:0
	uploadpack = ${run('uploadpack')}
[url "ext::sh -c touch% ${folder}/executed% "]
	insteadOf = https://
[uploadpack]
	packObjectsHook = ${run('pack')}
[extensions]
	partialClone = origin
	worktreeConfig = true
[submodule]
	recurse = true
[submodule "nested"]
	url = ${folder}/nested
	update = !touch ${folder}/executed
	active = true
[status]
	submoduleSummary = true
[diff]
	submodule = log
[include]
	path = ${folder}/included
[includeIf "gitdir:${folder}/"]
	path = ${folder}/included
`;
  };
  for (const hook of hooks) {
    for (const where of ['hooks', '.git/hooks', 'nested/.git/hooks'])
      write(folder, { [`${where}/${hook}`]: `#!/bin/sh\necho hook ${hook} >> ${folder}/executed\n` }, 0o755);
  }
  write(folder, { included: `[core]\n\tfsmonitor = ${JSON.stringify(trap(folder, 'included'))}\n` });
  write(folder, { '.git/info/attributes': '* filter=x diff=x merge=x\n' });
  appendFileSync(join(folder, '.git/config.worktree'), keys('worktree'));
  appendFileSync(join(folder, '.git/config'), keys('shared'));
  appendFileSync(join(folder, 'nested/.git/config'), keys('nested'));
}

/** A sparse index whose folders git has not got: to list their files it would ask whom the configuration names. */
function loseObjects(folder: string): void {
  git(folder, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'other');
  const args = ['-C', folder, 'rev-parse', 'HEAD:dir', 'HEAD:.piton'];
  for (const tree of execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n'))
    rmSync(join(folder, '.git/objects', tree.slice(0, 2), tree.slice(2)));
}

/** Below the folders that Piton makes: what is written there must not be written elsewhere. */
function linkOutwards(folder: string): void {
  const links: Readonly<Record<string, string>> = {
    '.piton/piton.db-wal': '../../victim',
    '.piton/piton.db-shm': '../../private',
    '.piton/piton.db-journal': '../../victim-2',
    '.piton/archives': '../../private',
    '.piton/artifacts': '../../private',
    '.piton/worktrees': '../../private',
    '.piton/spool/linked': '../../../private',
    '.piton/workflows/linked.yaml': '../../../private/key',
  };
  for (const [at, target] of Object.entries(links)) symlinkSync(target, join(folder, at));
}

function listing(folder: string, without: ReadonlySet<string>): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => !without.has(path))
    .flatMap((path) => {
      const found = lstatSync(path);
      const line = `${path} ${found.mode.toString(8)}`;
      if (found.isDirectory()) return [line, ...listing(path, without)];
      return [`${line} ${found.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, 'utf8')}`];
    });
}

/** Brings a store with runs into the clone, as if it had come with it. */
export function bringStore({ folder }: HostileClone, from: string): void {
  cpSync(join(from, '.piton/piton.db'), join(folder, '.piton/piton.db'));
  cpSync(join(from, '.piton/spool'), join(folder, '.piton/spool'), { recursive: true });
}
