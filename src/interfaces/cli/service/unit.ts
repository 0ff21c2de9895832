import { basename } from 'node:path';
import { sha256 } from '../../../base/index.ts';
import { exitCodes } from '../exit-codes.ts';

/** What goes on with interrupted runs of one project when somebody logs in. */
export interface Service {
  readonly name: string;
  readonly root: string;
  /** The command line, complete. */
  readonly command: readonly string[];
  /** Where commands of workflows are looked up, and where it stands what the user trusts: at login neither need be set. */
  readonly environment: Readonly<Record<string, string>>;
}

/** One per project: its folder's name for people, a hash for those with the same. */
export function serviceFor(root: string, env: Readonly<Record<string, string | undefined>>): Service {
  const plain = basename(root).replace(/[^A-Za-z0-9_-]+/g, '-') || 'root';
  const command = [process.execPath, process.argv[1]!, '--root', root, 'resume', '--all'];
  const { PATH = '', XDG_STATE_HOME: state } = env;
  const environment = { PATH, ...(state !== undefined && state !== '' && { XDG_STATE_HOME: state }) };
  return { name: `piton-${plain}-${sha256(root).slice(0, 8)}`, root, command, environment };
}

/** KillMode: commands outlive their driver, and are adopted by the next one. A run that waits for a person is no failure. */
export function systemdUnit({ root, command, environment }: Service): string {
  const settings = Object.entries(environment).map(
    ([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`,
  );
  return `[Unit]
Description=Piton: go on with interrupted runs of ${specifierFree(root)}

[Service]
Type=exec
WorkingDirectory=${specifierFree(root)}
${settings.join('\n')}
ExecStart=${command.map((word) => systemdWord(word).replaceAll('$', '$$$$')).join(' ')}
KillMode=process
SuccessExitStatus=${exitCodes.waiting}

[Install]
WantedBy=default.target
`;
}

function systemdWord(text: string): string {
  return `"${specifierFree(text).replace(/["\\]/g, String.raw`\$&`)}"`;
}

function specifierFree(text: string): string {
  return text.replaceAll('%', '%%');
}

/** AbandonProcessGroup: as KillMode above. */
export function launchdAgent({ name, root, command, environment }: Service): string {
  const settings = Object.entries(environment)
    .map(([name, value]) => `<key>${name}</key><string>${xmlText(value)}</string>`)
    .join('');
  const strings = command.map((word) => `    <string>${xmlText(word)}</string>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${xmlText(name)}</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>WorkingDirectory</key><string>${xmlText(root)}</string>
  <key>EnvironmentVariables</key>
  <dict>${settings}</dict>
  <key>RunAtLoad</key><true/>
  <key>AbandonProcessGroup</key><true/>
</dict>
</plist>
`;
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
