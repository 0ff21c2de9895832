import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PitonError, withOwnPath } from '../../../base/index.ts';
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
  if (platform === 'darwin') return launchd(service, env);
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
    enable: () =>
      trouble(env, 'systemctl', '--user', 'daemon-reload') ??
      trouble(env, 'systemctl', '--user', 'enable', unit),
    disable: () => trouble(env, 'systemctl', '--user', 'disable', unit),
    status: () => printed(env, 'systemctl', '--user', 'is-enabled', unit),
  };
}

function launchd(service: Service, env: Env): ServiceHost {
  const file = join(homedir(), 'Library/LaunchAgents', `${service.name}.plist`);
  return {
    file,
    text: launchdAgent(service),
    enable: () => trouble(env, 'launchctl', 'load', '-w', file),
    disable: () => trouble(env, 'launchctl', 'unload', '-w', file),
    status: () => printed(env, 'launchctl', 'list', service.name),
  };
}

function trouble(env: Env, program: string, ...args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { env: withOwnPath(env), encoding: 'utf8' });
  if (status === 0) return undefined;
  return error?.message ?? (stderr.trim() || `${program} ended with ${status}`);
}

function printed(env: Env, program: string, ...args: readonly string[]): string {
  const { stdout, stderr, error } = spawnSync(program, args, { env: withOwnPath(env), encoding: 'utf8' });
  return error?.message ?? ((stdout || stderr).trim() || 'unknown');
}
