import type { Answer, Request } from '../peer.ts';

export function answerRequests(measure: (request: Request) => Promise<Answer>): Promise<void>;
export function noteOf(index: number, bytes: number): string;
