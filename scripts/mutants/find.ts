// Finds the changes that could be made to a source file.
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import {
  isAwaitExpression,
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isIfStatement,
  isNoSubstitutionTemplateLiteral,
  isNumericLiteral,
  isPrefixUnaryExpression,
  isPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
  isTypeNode,
} from 'typescript/unstable/ast/is'
import type { Change, Rule } from './mutant.ts'
import { findInSql } from './sql.ts'

/** The operator in its place; `b` stands for the right side alone. */
const operators = new Map<SyntaxKind, readonly [Rule, string]>([
  [SyntaxKind.LessThanToken, ['bound', '<=']],
  [SyntaxKind.LessThanEqualsToken, ['bound', '<']],
  [SyntaxKind.GreaterThanToken, ['bound', '>=']],
  [SyntaxKind.GreaterThanEqualsToken, ['bound', '>']],
  [SyntaxKind.EqualsEqualsEqualsToken, ['comparison', '!==']],
  [SyntaxKind.ExclamationEqualsEqualsToken, ['comparison', '===']],
  [SyntaxKind.AmpersandAmpersandToken, ['operator', '||']],
  [SyntaxKind.BarBarToken, ['operator', '&&']],
  [SyntaxKind.PlusToken, ['operator', '-']],
  [SyntaxKind.MinusToken, ['operator', '+']],
  [SyntaxKind.AsteriskToken, ['operator', '/']],
  [SyntaxKind.SlashToken, ['operator', '*']],
])

export function findChanges(file: SourceFile): Change[] {
  const changes: Change[] = []
  visit(file)
  return changes

  function visit(node: Node): void {
    if (isTypeNode(node)) return
    changes.push(...changesOf(node))
    node.forEachChild(visit)
  }

  function change(rule: Rule, node: Node, text: string, end = node.end): Change {
    return { rule, start: node.getStart(file), end, text }
  }

  function changesOf(node: Node): Change[] {
    if (isBinaryExpression(node)) {
      const { operatorToken: operator, left, right } = node
      // The default instead of the value.
      if (operator.kind === SyntaxKind.QuestionQuestionToken) {
        return [change('operator', left, '', right.getStart(file))]
      }
      const [rule, text] = operators.get(operator.kind) ?? []
      return rule && text ? [change(rule, operator, text)] : []
    }
    if (isIfStatement(node)) return negate(node.expression)
    if (isConditionalExpression(node)) return negate(node.condition)
    if (isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
      return [change('condition', node, node.operand.getText(file))]
    }
    if (isExpressionStatement(node)) {
      const called = isAwaitExpression(node.expression) ? node.expression.expression : node.expression
      return isCallExpression(called) ? [change('call removed', node, neverCall(node.getText(file)))] : []
    }
    if (isAwaitExpression(node)) return [change('await removed', node, node.expression.getText(file))]
    if (isNumericLiteral(node)) return [change('constant', node, anotherNumber(node.getText(file)))]
    if (node.kind === SyntaxKind.TrueKeyword) return [change('constant', node, 'false')]
    if (node.kind === SyntaxKind.FalseKeyword) return [change('constant', node, 'true')]
    if (isPropertyAssignment(node) && isStringLiteral(node.name) && /^'[A-Z][\w]*-/.test(node.name.getText(file))) {
      return [change('header removed', node, '...{}')]
    }
    if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) || isTemplateExpression(node)) {
      // Without its quotes.
      const start = node.getStart(file) + 1
      return findInSql(node.getText(file).slice(1, -1)).map((one) => ({
        ...one,
        start: start + one.start,
        end: start + one.end,
      }))
    }
    return []
  }

  /** Comparisons and `!` are changed themselves. */
  function negate(condition: Node): Change[] {
    const isChangedItself = isBinaryExpression(condition) || isPrefixUnaryExpression(condition)
    return isChangedItself ? [] : [change('condition', condition, `!(${condition.getText(file)})`)]
  }
}

/** In a function that no one calls, so that every name stays in use. */
const neverCall = (call: string): string => `void (${/\bawait\b/.test(call) ? 'async ' : ''}() => ${call})`

/** One more for a small number, ten times a large one. */
function anotherNumber(text: string): string {
  const number = Number(text.replaceAll('_', '').replace(/n$/, ''))
  return `${number < 10 ? number + 1 : number * 10}${text.endsWith('n') ? 'n' : ''}`
}
