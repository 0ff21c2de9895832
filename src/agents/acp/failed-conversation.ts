import { RequestError } from '@agentclientprotocol/sdk';
import { asError, type Json, type JsonObject } from '../../base/index.ts';
import type { FailureKind } from '../contract.ts';
import { failureKind, kindOfStatus } from '../failures.ts';
import { listOf, showJson, textAt } from '../json-fields.ts';

/** Why there is no answer. */
export class FailedConversation extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const codes = { authRequired: -32_000, unknownMethod: -32_601 } as const;

/** What an error that the agent answered with means. Others are no answers: they are left as they are. */
export function failureIn(error: unknown, introduction: JsonObject): Error {
  if (!(error instanceof RequestError)) return asError(error);
  const text = errorText(error);
  const kind = kindOf(error, text);
  if (kind !== 'auth') return new FailedConversation(kind, text);
  return new FailedConversation('auth', `${text}. ${waysToLogIn(introduction['authMethods'])}`);
}

/** A session that cannot be opened is lost, whatever the reason: but for those that would be met in a new one as well. */
export function failureToOpen(error: unknown, introduction: JsonObject): Error {
  const failure = failureIn(error, introduction);
  if (!(failure instanceof FailedConversation) || ['auth', 'limit', 'network'].includes(failure.kind))
    return failure;
  return new FailedConversation('session-missing', `The session cannot be opened: ${failure.message}`);
}

function kindOf(error: RequestError, text: string): FailureKind {
  if (error.code === codes.authRequired) return 'auth';
  if (error.code === codes.unknownMethod) return 'unsupported';
  // Some answer with the number of the HTTP protocol that they were answered with.
  return kindOfStatus(error.code > 0 ? error.code : undefined) ?? failureKind(text);
}

function errorText(error: RequestError): string {
  const data = error.data as Json | undefined;
  const details = textAt(data, 'details') ?? showJson(data);
  return details === '' ? error.message : `${error.message} (${details})`;
}

function waysToLogIn(methods: Json | undefined): string {
  const ways = listOf(methods).map((method) => {
    const words = [textAt(method, 'name'), textAt(method, 'description')];
    return words.filter((word) => word !== undefined).join(': ');
  });
  if (ways.length === 0) return 'Log in with its own program first.';
  return `Log in with its own program first. It offers: ${ways.join('; ')}.`;
}
