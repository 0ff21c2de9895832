import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PitonError } from '../../../base/index.ts';
import { launchdAgent, systemdUnit, type Service } from './unit.ts';

/** The part of a system that starts things at login. */
export interface ServiceHost {
  readonly file: string;
  readonly text: string;
  /** Called when the file is written, or before it is removed. Gives what went wrong. */
  enable(): string | undefined;
  disable(): string | undefined;
  status(): string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Throws `SERVICE_UNSUPPORTED`. */
export function serviceHost(service: Service, platform: string, env: Env): ServiceHost {
  if (platform === 'linux') return systemd(service, env);
  if (platform === 'darwin') return launchd(service);
  throw new PitonError('SERVICE_UNSUPPORTED', `Piton cannot install a service on ${platform}.`, {
    remedy: 'Call piton resume --all at login in your own way.',
  });
}

function systemd(service: Service, env: Env): ServiceHost {
  const unit = `${service.name}.service`;
  const folder = env['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return {
    file: join(folder, 'systemd/user', unit),
    text: systemdUnit(service),
    enable: () => userSystemd('daemon-reload') ?? userSystemd('enable', unit),
    disable: () => userSystemd('disable', unit),
    status: () => printed('systemctl', ['--user', 'is-enabled', unit]),
  };
}

function userSystemd(...args: readonly string[]): string | undefined {
  return trouble('systemctl', ['--user', ...args]);
}

function launchd(service: Service): ServiceHost {
  const file = join(homedir(), 'Library/LaunchAgents', `${service.name}.plist`);
  return {
    file,
    text: launchdAgent(service),
    enable: () => trouble('launchctl', ['load', '-w', file]),
    disable: () => trouble('launchctl', ['unload', '-w', file]),
    status: () => printed('launchctl', ['list', service.name]),
  };
}

function trouble(program: string, args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return undefined;
  return error?.message ?? (stderr.trim() || `${program} ended with ${status}`);
}

function printed(program: string, args: readonly string[]): string {
  const { stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  return error?.message ?? ((stdout || stderr).trim() || 'unknown');
}
