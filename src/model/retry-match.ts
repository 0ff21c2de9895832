/** What an entry of `on` or `notOn` asks of a failure: its code, or a pattern in its message. */
export type RetryMatch =
  | { readonly code: string }
  | { readonly pattern: string; readonly flags: string }
  /** Meant as a pattern, but none; `fault` says why. */
  | { readonly fault: string };

/** `/pattern/` or `/pattern/flags` is a pattern, anything else a code. */
export function readRetryMatch(text: string): RetryMatch {
  const [, pattern, flags = ''] = /^\/(.*)\/([A-Za-z]*)$/s.exec(text) ?? [];
  if (pattern === undefined) return { code: text };
  const beyond = /\(\?<?[=!]|\\[1-9]|\\k</.exec(pattern)?.[0];
  if (beyond !== undefined)
    return { fault: `\`${beyond}\`: looking around and referring back are not possible` };
  try {
    void new RegExp(pattern, flags);
    return { pattern, flags };
  } catch (error) {
    return { fault: (error as SyntaxError).message };
  }
}
