import { whyNoAnswer, type Event, type Sender, type SentCommand } from '../model/index.ts';
import { gateOf, type Gate } from './life.ts';
import { statusOfTask, type RunState, type TaskState } from './run-state.ts';
import { accept, refuse, type Verdict } from './verdict.ts';

type GateCommand = Extract<SentCommand, { type: 'approve' | 'reject' | 'answer' }>;

/** A person decides at a gate. The command names it: a later one, of another visit, is not meant. */
export function decideGate(state: RunState, command: GateCommand): Verdict {
  const { task: address, gate } = command;
  const task = state.tasks.get(address);
  if (task === undefined) return refuse(`the run has no task ${address}`);
  const open = gateOf(task.life);
  if (open === undefined) return refuse(whyNoGate(task, command.type));
  if (open.gate !== gate) return refuse(otherwiseAsked(address));
  const why = whyUnfit(task, open, command);
  return why === undefined ? decideAt(task, open, command) : refuse(why);
}

export function decidedBy({ sender }: SentCommand): { readonly by?: Sender } {
  return sender === undefined ? {} : { by: sender };
}

/** What to do about a task that waits at a gate. */
export function gateRemedy({ address, life }: TaskState): string {
  return gateOf(life)?.question === undefined
    ? `${address} waits for approval: approve or reject it`
    : `${address} waits for an answer: answer or reject it`;
}

function otherwiseAsked(address: string): string {
  return `${address} asks something else by now: look at it again`;
}

function whyNoGate(task: TaskState, type: GateCommand['type']): string {
  const { address, life, approved, answers = [] } = task;
  if (approved) return `${address} has been approved already`;
  if (life.status === 'failed' && life.failure.code === 'REJECTED')
    return `${address} has been rejected already`;
  if (answers.length > 0) return `${address} has been answered already`;
  // It was changed, and is about to ask.
  if (statusOfTask(task) === 'queued') return otherwiseAsked(address);
  return `${address} waits for no ${type === 'answer' ? 'answer' : 'approval'}: it is ${statusOfTask(task)}`;
}

/** A yes is no answer to a question, nor the other way round. */
function whyUnfit(task: TaskState, { question }: Gate, command: GateCommand): string | undefined {
  if (command.type === 'reject') return undefined;
  if ((command.type === 'answer') !== (question !== undefined)) return gateRemedy(task);
  const why = command.type === 'answer' ? whyNoAnswer(question!, command.answer) : undefined;
  return why === undefined ? undefined : `that is no answer for ${task.address}: ${why}`;
}

function decideAt({ address }: TaskState, { gate, question }: Gate, command: GateCommand): Verdict {
  const { type, comment } = command;
  const decided: Event = {
    type: 'gate.decided',
    task: address,
    data: {
      gate,
      approved: type !== 'reject',
      ...(type === 'answer' && { answer: command.answer }),
      ...(comment !== undefined && { comment }),
      ...decidedBy(command),
    },
  };
  const text = `${address} is ${said[type]}`;
  if (type !== 'reject' || question !== undefined) return accept(text, decided);
  const failure = { code: 'REJECTED', message: comment ?? 'rejected by the operator', retryable: false };
  return accept(text, decided, { type: 'task.failed', task: address, data: { failure } });
}

const said = { approve: 'approved', reject: 'rejected', answer: 'answered' } as const;
