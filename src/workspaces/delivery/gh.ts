import { effect, isPlainObject, PitonError, withOwnPath } from '../../base/index.ts';
import type { FoundReview, ReviewRequest, ReviewService, ServiceSetting } from './review-service.ts';
import { lastLine, runProgram, type ProgramEnd } from './run-program.ts';

/** As `gh` ends if it has nobody to act for. */
const notLoggedIn = 4;

const quiet = { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1', CLICOLOR_FORCE: '0' };

/** GitHub, through its own command line. */
export function ghService({ folder, environment }: ServiceSetting): ReviewService {
  const env = { ...withOwnPath(environment), ...quiet };
  const gh = async (args: readonly string[], input?: string): Promise<string> => {
    const end = await runProgram({
      argv: ['gh', ...args],
      cwd: folder,
      env,
      ...(input !== undefined && { input }),
    });
    if (end.code !== 0) throw failureOf(end);
    return end.stdout;
  };
  return {
    async find({ branch, base, isBaseChosen }) {
      const fields = ['--json', 'number,url,baseRefName'];
      const listed = await gh(['pr', 'list', '--head', branch, '--state', 'open', ...fields]);
      const found = readList(listed);
      return isBaseChosen ? found.find((one) => one.base === base) : found[0];
    },
    async open(request) {
      return lastLine(await effect('pull-request.opened', () => gh(openArguments(request), request.body)));
    },
  };
}

function openArguments({ branch, base, title, isDraft }: ReviewRequest): string[] {
  const asked = ['--head', branch, '--base', base, '--title', title, '--body-file', '-'];
  return ['pr', 'create', ...asked, ...(isDraft ? ['--draft'] : [])];
}

function readList(text: string): FoundReview[] {
  const value: unknown = parse(text);
  if (!Array.isArray(value)) throw unreadable(text);
  return value.map((item: unknown) => {
    const { url, baseRefName } = isPlainObject(item) ? item : {};
    if (typeof url !== 'string' || typeof baseRefName !== 'string') throw unreadable(text);
    return { url, base: baseRefName };
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function unreadable(text: string): PitonError {
  return new PitonError(
    'PULL_REQUEST_FAILED',
    `gh said something that is not understood: ${text.slice(0, 200)}`,
    {
      remedy: 'Update gh, or name a command in `delivery.command` of .piton/config.yaml.',
    },
  );
}

function failureOf({ code, stderr, isMissing }: ProgramEnd): PitonError {
  if (isMissing) {
    return new PitonError('PULL_REQUEST_FAILED', 'gh, the command line of GitHub, is not on the PATH.', {
      reason: 'no-gh',
      remedy:
        'Install it (https://cli.github.com), or name a command in `delivery.command` of .piton/config.yaml.',
    });
  }
  if (code === notLoggedIn || /gh auth login/.test(stderr)) {
    return new PitonError('PULL_REQUEST_FAILED', 'gh is not logged in.', {
      reason: 'not-logged-in',
      stderr,
      remedy: 'Log in with gh auth login, or set GH_TOKEN.',
    });
  }
  const how = code === undefined ? 'was ended' : `ended with ${code}`;
  return new PitonError('PULL_REQUEST_FAILED', `gh ${how}. It said: ${stderr.trim()}`, {
    reason: 'other',
    stderr,
    exitCode: code,
  });
}
