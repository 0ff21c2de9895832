import { basename } from 'node:path';
import { sha256 } from '../../../base/index.ts';
import { exitCodes } from '../exit-codes.ts';

/** What goes on with interrupted runs of one project when somebody logs in. */
export interface Service {
  readonly name: string;
  readonly root: string;
  /** The command line, complete. */
  readonly command: readonly string[];
  /** Commands of workflows are looked up in it. */
  readonly path: string;
}

/** One per project: its folder's name for people, a hash for those with the same. */
export function serviceFor(root: string, path: string): Service {
  const plain = basename(root).replace(/[^A-Za-z0-9_-]+/g, '-') || 'root';
  const command = [process.execPath, process.argv[1]!, '--root', root, 'resume', '--all'];
  return { name: `piton-${plain}-${sha256(root).slice(0, 8)}`, root, command, path };
}

/** KillMode: commands outlive their driver, and are adopted by the next one. A run that waits for a person is no failure. */
export function systemdUnit({ root, command, path }: Service): string {
  return `[Unit]
Description=Piton: go on with interrupted runs of ${specifierFree(root)}

[Service]
Type=exec
WorkingDirectory=${specifierFree(root)}
Environment=${systemdWord(`PATH=${path}`)}
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
export function launchdAgent({ name, root, command, path }: Service): string {
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
  <dict><key>PATH</key><string>${xmlText(path)}</string></dict>
  <key>RunAtLoad</key><true/>
  <key>AbandonProcessGroup</key><true/>
</dict>
</plist>
`;
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
