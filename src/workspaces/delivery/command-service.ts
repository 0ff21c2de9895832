import { effect, PitonError } from '../../base/index.ts';
import type { ReviewRequest, ReviewService, ServiceSetting } from './review-service.ts';
import { lastLine, runProgram } from './run-program.ts';

/** Whatever the user has configured: asked first whether there is one already, then to open it. */
export function commandService(command: string, { folder, environment }: ServiceSetting): ReviewService {
  const ask = async (action: 'find' | 'open', request: ReviewRequest): Promise<string> => {
    const env = { ...environment, ...variablesOf(request), PITON_PR_ACTION: action };
    const end = await runProgram({ argv: ['sh', '-c', command], cwd: folder, env });
    if (end.code === 0) return lastLine(end.stdout);
    const how = end.code === undefined ? 'was ended' : `ended with ${end.code}`;
    const said = end.stderr.trim() === '' ? '' : ` It said: ${end.stderr.trim().slice(-2000)}`;
    throw new PitonError('PULL_REQUEST_FAILED', `The command of \`delivery.command\` ${how}.${said}`, {
      action,
      command,
      exitCode: end.code,
      stderr: end.stderr,
    });
  };
  return {
    async find(request) {
      const url = await ask('find', request);
      return url === '' ? undefined : { url, base: request.base };
    },
    open: (request) => effect('pull-request.opened', () => ask('open', request)),
  };
}

function variablesOf(request: ReviewRequest): Record<string, string> {
  const { title, body, base, branch, remote, commit, isDraft } = request;
  return {
    PITON_PR_TITLE: title,
    PITON_PR_BODY: body,
    PITON_PR_BASE: base,
    PITON_PR_BRANCH: branch,
    PITON_PR_REMOTE: remote,
    PITON_PR_COMMIT: commit,
    PITON_PR_DRAFT: String(isDraft),
  };
}
