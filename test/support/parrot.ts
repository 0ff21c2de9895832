import { PitonError, streamParser, type Agent } from '../../src/index.ts';

/** Says what it is told, over a session that it can go on in. Written as a user would, with what the library exports. */
export const parrot: Agent = {
  name: 'parrot',
  title: 'A parrot',
  traits: { sessions: 'continue', ignores: ['effort', 'max-turns'] },
  choosesSession: true,
  pricing: 'none',
  showsToolStart: true,
  asks: false,
  executable: 'node',
  variables: { always: ['PARROT_HOME'] },
  login: '',
  versionCommand: () => ['node', '--version'],
  parseVersion: (output) => /\d+\.\d+\.\d+/.exec(output)?.[0],
  command({ session, prompt, outputSchema, args, ...wishes }) {
    if (session.type === 'fork')
      throw new PitonError('SESSION_UNSUPPORTED', 'A parrot cannot copy a session.', {});
    const { permissions, model, effort, maxTurns, budgetUsd } = wishes;
    const shape = outputSchema === undefined ? '' : `\nAnswer as ${JSON.stringify(outputSchema)}`;
    const unmet = { effort, 'max-turns': maxTurns, budget: budgetUsd } as const;
    return {
      argv: [
        'node',
        '-e',
        program,
        '--',
        session.type,
        session.id ?? '',
        `--allow=${permissions}`,
        `--model=${model ?? ''}`,
        ...args,
        '',
      ],
      env: {},
      input: `${prompt}${shape}`,
      files: {},
      unmet: (Object.keys(unmet) as (keyof typeof unmet)[]).filter((wish) => unmet[wish] !== undefined),
    };
  },
  interactive: (session) => ['parrot', '--resume', session],
  parser: (context) => streamParser({ read: (event) => readers[String(event['type'])]?.(event) }, context),
  toolClass: () => 'unknown',
  explainPermissions: (permissions) => `--allow=${permissions}, though it has no tools`,
};

type Reader = (event: Parameters<StreamRead>[0]) => ReturnType<StreamRead>;
type StreamRead = Parameters<typeof streamParser>[0]['read'];

const readers: Readonly<Record<string, Reader>> = Object.assign(Object.create(null) as object, {
  hello: ({ session }) => [{ type: 'session', id: String(session) }],
  said: ({ text }) => [
    { type: 'message', role: 'assistant', text: String(text) },
    { type: 'result', text: String(text) },
  ],
} satisfies Record<string, Reader>);

const program = `
const [how, session] = process.argv.slice(1);
const tell = (event) => console.log(JSON.stringify(event));
let heard = '';
process.stdin.on('data', (text) => (heard += text)).on('end', () => {
  tell({ type: 'hello', session });
  tell({ type: 'said', text: how + ': ' + heard });
});`;
