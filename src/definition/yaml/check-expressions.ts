import { isPlainObject, type Json } from '../../base/index.ts';
import { isFunctionRef } from '../../model/index.ts';
import { taskSites, valueSites, type ExpressionSite } from '../define/expression-sites.ts';
import { hyphenatedNames } from '../define/known-names.ts';
import { formOf } from '../define/scope.ts';
import { suggestNearest } from '../define/suggestions.ts';
import { chainsOf, type Chain } from '../expressions/chains.ts';
import { createExpressionChecker, type ExpressionChecker } from '../expressions/check-expression.ts';
import { elementOf, listOf, type TypeName, type Types } from '../expressions/types.ts';
import { expressionsOf, type ExpressionPart } from '../expressions/templates.ts';
import { isReported, type Finding, type Path } from '../problems.ts';
import type { TaskDraft, WorkflowDraft } from '../workflow-draft.ts';
import { errorType, outputType, stateType, viewType } from './task-types.ts';

export function checkExpressions(): void {}
