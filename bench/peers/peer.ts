import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Durability } from '../settings.ts';

/** One measurement: a load with its sizes. */
export interface Request {
  readonly load: string;
  readonly durability: Durability;
  readonly steps?: number;
  readonly bytes?: number;
  readonly width?: number;
  readonly tasks?: number;
  readonly needs?: readonly (readonly string[])[];
  readonly runs?: number;
  readonly concurrency?: number;
}

export interface Answer {
  readonly ms: number;
  readonly bytes: number;
}

/** A subject of the comparison, waiting in a process of its own. */
export interface Peer {
  readonly name: string;
  /** Of itself and what it stands on. */
  readonly version: string;
  ask(request: Request): Promise<Answer>;
  stop(): Promise<void>;
}

export interface PeerProgram {
  readonly name: string;
  readonly version: string;
  /** Of Node, and of the program: the first that can load it is taken. */
  readonly nodes: readonly string[];
  readonly command: readonly string[];
  readonly cwd: string;
}

export async function startPeer(program: PeerProgram): Promise<Peer> {
  const complaints: string[] = [];
  for (const node of program.nodes) {
    try {
      return await startWith(node, program);
    } catch (thrown) {
      complaints.push(`${node}: ${(thrown as Error).message}`);
    }
  }
  throw new Error(complaints.join('\n'));
}

async function startWith(node: string, { name, version, command, cwd }: PeerProgram): Promise<Peer> {
  const child = spawn(node, [...command], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + String(chunk)).slice(-2_000)));
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, unknown>> => {
    const { done, value } = (await lines.next()) as IteratorResult<string>;
    if (done === true) throw new Error(`${name} ended by itself. ${said}`);
    return value.startsWith('{') ? (JSON.parse(value) as Record<string, unknown>) : next();
  };
  const { node: nodeVersion } = await next();
  return {
    name,
    version: `${version}, Node ${String(nodeVersion)}`,
    async ask(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const answer = await next();
      if (typeof answer['error'] === 'string') throw new Error(answer['error']);
      return answer as unknown as Answer;
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
