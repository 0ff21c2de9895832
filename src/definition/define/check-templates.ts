import { statusCalls } from '../expressions/conditions.ts';
import { expressionsOf, type TemplateFault } from '../expressions/templates.ts';
import type { Finding } from '../problems.ts';
import type { ExpressionSite } from './expression-sites.ts';

/** What can be seen to be wrong with a text without knowing CEL. */
export function checkTemplates(sites: readonly ExpressionSite[]): Finding[] {
  return sites.flatMap((site) => {
    const { fault } = site.template;
    return fault === undefined ? checkStatusCalls(site) : [describeFault(site, fault)];
  });
}

function describeFault({ at }: ExpressionSite, { type, offset }: TemplateFault): Finding {
  switch (type) {
    case 'unclosed':
      return {
        at,
        offset,
        malformed: true,
        message: 'An expression begins here with `${{` and is never closed.',
        remedy: 'Close it with `}}`, and check that quotes inside of it are closed.',
      };
    case 'empty':
      return { at, offset, message: 'There is no expression here.', remedy: 'Write one, or remove this.' };
    case 'partial':
      return {
        at,
        offset,
        message: '`${{ }}` stands around a part of the condition; it is one expression as a whole.',
        remedy: 'Write the condition without `${{ }}`.',
      };
  }
}

function checkStatusCalls({ at, role, template }: ExpressionSite): Finding[] {
  return expressionsOf(template).flatMap(({ expression, start }) =>
    statusCalls(expression).flatMap((call) => {
      const offset = start + call.start;
      if (call.name === 'cancelled') {
        const message = '`cancelled()` does not exist: nothing starts in a run that has been cancelled.';
        return [{ at, offset, message, remedy: 'Use `always()` for what has to run after a failure too.' }];
      }
      if (role === 'if' || role === 'next') return [];
      const message = `\`${call.name}()\` says something only in an \`if\`.`;
      return [{ at, offset, message, remedy: 'Use `tasks.<name>.status` here.' }];
    }),
  );
}
