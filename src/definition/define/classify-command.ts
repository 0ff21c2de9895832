/** A kind of command whose effects outside cannot be taken back, and why. */
interface Kind {
  readonly pattern: RegExp;
  readonly reason: string;
}

/** Words of the same command, in between. */
const between = String.raw`(?:[^\S\n]+[^\s;&|]+){0,20}?[^\S\n]+`;
const end = String.raw`(?=$|[\s;&|)"'\`])`;
const begin = String.raw`(?:^|[\s;&|(/"'\`])`;

function command(program: string, ...words: readonly string[]): RegExp {
  // Only of options is the case of letters a difference.
  const flags = words.some((word) => word.startsWith('-')) ? 'm' : 'im';
  return new RegExp(
    `${begin}(?:${program})${words.map((word) => `${between}(?:${word})`).join('')}${end}`,
    flags,
  );
}

const kinds: readonly Kind[] = [
  { pattern: command('git', 'push'), reason: 'it pushes commits' },
  {
    pattern: command(
      'npm|yarn|pnpm|bun|cargo|lerna|poetry|flit|hatch|uv|dart|mix',
      String.raw`(?:hex\.)?publish`,
    ),
    reason: 'it publishes a package',
  },
  {
    pattern: command('npm|yarn|pnpm|bun', 'unpublish|deprecate|dist-tag'),
    reason: 'it changes what is published',
  },
  {
    pattern: command('npm|yarn|pnpm|bun|cargo', 'version', String.raw`major|minor|patch|pre\w+|v?\d\S*`),
    reason: 'it raises the version each time',
  },
  {
    pattern: command('semantic-release|goreleaser|release-it|fastlane|changeset', '(?!version)\\S+'),
    reason: 'it publishes a release',
  },
  { pattern: command('semantic-release'), reason: 'it publishes a release' },
  { pattern: command('nuget', 'push'), reason: 'it publishes a package' },
  { pattern: command('eas', 'submit|update'), reason: 'it publishes an app' },
  { pattern: command('twine', 'upload'), reason: 'it publishes a package' },
  { pattern: command('gem', 'push|yank'), reason: 'it publishes a package' },
  {
    pattern: command('docker|podman|buildah|skopeo|crane|helm|oras', 'push|copy'),
    reason: 'it publishes an image',
  },
  { pattern: command('docker', 'buildx?', '--push'), reason: 'it publishes an image' },
  {
    pattern: command('kubectl|oc', 'apply|create|delete|replace|patch|scale|rollout|set|drain'),
    reason: 'it changes a cluster',
  },
  { pattern: command('helm', 'install|upgrade|uninstall|delete|rollback'), reason: 'it changes a cluster' },
  {
    pattern: command('terraform|tofu|terragrunt', 'apply|destroy|import'),
    reason: 'it changes infrastructure',
  },
  { pattern: command('pulumi|cdk', 'up|deploy|destroy'), reason: 'it changes infrastructure' },
  { pattern: command('ansible-playbook|ansible'), reason: 'it changes other machines' },
  {
    pattern: command(
      'gh',
      'pr|issue|release|repo|gist|workflow|secret',
      'create|merge|close|edit|delete|comment|review|reopen|ready|upload|run|set|transfer|archive',
    ),
    reason: 'others see it on GitHub',
  },
  {
    pattern: command(
      'gh',
      'api',
      String.raw`(?:-X|--method)[=\s]*["']?(?:POST|PUT|DELETE|PATCH)["']?|-[fF]|--(?:raw-)?field\S*|--input`,
    ),
    reason: 'others see it on GitHub',
  },
  {
    pattern: command('glab', 'mr|issue|release', 'create|merge|close|delete|update|note'),
    reason: 'others see it on GitLab',
  },
  {
    pattern: command(
      'aws|gcloud|az|doctl|flyctl|fly|heroku|vercel|netlify|wrangler|firebase|eb|serverless|sls',
      String.raw`(?:[\w:-]*-)?(?:create|delete|deploy|remove|update|put|publish|terminate|destroy|release|promote|send|invoke|start|stop|restart|reboot|run)(?:-[\w-]+)?|--prod`,
    ),
    reason: 'it changes a cloud',
  },
  { pattern: command('aws', 's3', 'cp|mv|rm|sync|rb|mb'), reason: 'it changes a cloud' },
  {
    pattern: command('gsutil|rclone', 'cp|mv|rm|rsync|sync|copy|move|delete|purge|rb|mb'),
    reason: 'it changes a cloud',
  },
  {
    pattern: command('curl', String.raw`(?:-[a-zA-Z]*X|--request)[=\s]*["']?(?:POST|PUT|DELETE|PATCH)["']?`),
    reason: 'it sends a request that changes something',
  },
  {
    pattern: command('curl', String.raw`-[a-zA-Z]*[dFT]\S*|--(?:data|form|upload-file|json)\S*`),
    reason: 'it sends data',
  },
  { pattern: command('wget', String.raw`--(?:post|body)-\S+|--method=\S+`), reason: 'it sends data' },
  {
    pattern: command('https?', 'POST|PUT|DELETE|PATCH'),
    reason: 'it sends a request that changes something',
  },
  { pattern: command('mail|mailx|sendmail|mutt|msmtp|swaks'), reason: 'it sends mail' },
  {
    pattern: command('scp|rsync|sftp', String.raw`[^\s:;&|/]+:\S*`),
    reason: 'it copies to or from another machine',
  },
  {
    pattern: command(
      'psql|mysql|mariadb|sqlite3|mongosh?|redis-cli',
      String.raw`[^;&|\n]{0,500}\b(?:insert|update|delete|drop|truncate|alter|create|del|flushall|flushdb)\b[^\n]*`,
    ),
    reason: 'it changes a database',
  },
  {
    pattern: command('psql|mysql|mariadb', String.raw`-f|--file\S*|<`),
    reason: 'it may change a database',
  },
  {
    pattern: command(
      'npm|yarn|pnpm|bun|make|just|task|rake|gradle|gradlew|mvn',
      String.raw`(?:release|deploy|publish|ship)(?:[:.-][\w:.-]*)?|[\w:.-]*[:.-](?:release|deploy|publish|ship)`,
    ),
    reason: 'by its name it releases something',
  },
  { pattern: command('reboot|shutdown|poweroff|halt|mkfs\\S*'), reason: 'it may harm the machine' },
  { pattern: command('dd', String.raw`of=/dev/(?!null)\S+`), reason: 'it may harm the machine' },
  {
    pattern:
      /(?:^|[\s;&|(/"'`])(?:release|publish)[\w-]*\.(?:sh|bash|[cm]?[jt]s|py|rb|pl)(?:$|[\s;&|)"'`])/im,
    reason: 'by its name it releases something',
  },
  { pattern: /(?:^|[\s;&|(/."'`_-])deploy(?:$|[\s;&|)."'`_-])/i, reason: 'it deploys' },
];

/** Why a command should not run twice by itself, if it is seen to have effects that cannot be taken back. */
export function irreversibleReason(run: string | readonly string[]): string | undefined {
  const text = withoutHarmless(typeof run === 'string' ? withoutComments(run) : run.join(' '));
  const found = kinds.find(({ pattern }) => pattern.test(text))?.reason;
  return found ?? deletionReason(text) ?? remoteReason(text);
}

function withoutComments(text: string): string {
  return text.replace(/\\\n/g, ' ').replace(/(^|\s)#[^\n]*/g, '$1');
}

const printing =
  'echo|printf|cat|head|tail|less|wc|grep|egrep|fgrep|rg|ag|ls|cd|pushd|mkdir|touch|test|diff|stat|tar|zip|unzip|jq|true';
const testing =
  'pytest|vitest|jest|mocha|phpunit|rspec|eslint|prettier|(?:npm|yarn|pnpm|bun)(?: run)? test\\S*';
const local = String.raw`git(?: -C \S+)? (?:add|commit|config|diff|grep|log|show|stash|status|switch|checkout|branch)`;
const harmless = new RegExp(
  String.raw`(?<=^|[;&|(\n]\s*)(?:(?:npx )?(?:${printing}|${testing})|${local})(?=\s|$)[^;&|\n]*`,
  'g',
);
const rehearsal = /(?<=^|[;&|\n])[^;&|\n]*\s--dry-run(?!=none)\b[^;&|\n]*/g;

/** No other command is in it. */
function isSpoken(part: string): boolean {
  return !/`|\$\(|<\(/.test(part);
}

/** Without commands that only speak of such things. What they print must not go to another that executes it. */
function withoutHarmless(text: string): string {
  if (/\|\s*(?:[^\s|]+[^\S\n]+){0,6}(?:[^\s|]*\/)?(?:(?:ba|da|z|k)?sh|ssh|xargs|parallel)\b/.test(text))
    return text;
  return [harmless, rehearsal].reduce(
    (rest, pattern) => rest.replace(pattern, (part) => (isSpoken(part) ? ':' : part)),
    text,
  );
}

/** `rm` of what is not in the folder it runs in. */
function deletionReason(text: string): string | undefined {
  const deletions = text.matchAll(new RegExp(String.raw`${begin}(?:rm|shred)((?:\s+[^\s;&|\n]+)+)`, 'g'));
  const outside = [...deletions].some(([, words]) =>
    words!
      .trim()
      .split(/\s+/)
      .some((word) => /^["']?(?:\/(?!tmp\/|dev\/null)|~|\$\{?HOME|\.\.(?:\/|$))/.test(word)),
  );
  return outside ? 'it deletes files outside of its folder' : undefined;
}

/** `ssh` that is given a command, not only a host. */
function remoteReason(text: string): string | undefined {
  const calls = text.matchAll(new RegExp(String.raw`${begin}ssh((?:\s+[^\s;&|\n]+)+)`, 'g'));
  const remote = [...calls].some(([, words]) => argumentsOf(words!.trim().split(/\s+/)).length > 1);
  return remote ? 'it does something on another machine' : undefined;
}

function argumentsOf(words: readonly string[]): readonly string[] {
  return words.filter((word, index) => {
    if (word.startsWith('-')) return false;
    return !/^-\w*[BbcDEeFIiJLlmOopQRSWw]$/.test(words[index - 1] ?? '');
  });
}
