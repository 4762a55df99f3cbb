import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type CallExpression,
  type Expression,
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast'
import { API, type Project, type Type, TypeFlags } from 'typescript/unstable/sync'
import { type Alternative, isSql, textsOf } from './texts.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
// The source without the tests: less to read.
const PROJECT = fileURLToPath(new URL('tsconfig.json', import.meta.url))
const METHODS = new Set(['rows', 'one', 'maybe', 'hot', 'run', 'probe'])

/** What a field is declared to be: `string`, `null`, `Date`, `string[]`, the literal `'open'` … */
export type Kinds = ReadonlySet<string>

/** One call that runs a statement. */
export interface Statement {
  /** The file and line of the call. */
  place: string
  /** Every text that the call may send; empty if that cannot be read from the source. */
  texts: Alternative[]
  /** The fields of the declared row; undefined if the call declares none. */
  row: Map<string, Kinds> | undefined
}

/** Reads the statements of the files whose paths have these prefixes, with the compiler's types. */
export function readStatements(...beginnings: string[]): Statement[] {
  const api = new API({ cwd: ROOT })
  try {
    const [project] = api.updateSnapshot({ openProjects: [PROJECT] }).getProjects()
    const { program } = project!
    return program
      .getSourceFileNames()
      .filter((name) => beginnings.some((each) => name.startsWith(ROOT + each)))
      .flatMap((name) => statementsOf(project!, program.getSourceFile(name)!))
  } finally {
    api.close()
  }
}

function statementsOf(project: Project, file: SourceFile): Statement[] {
  const lines = lineStarts(file.text)
  const calls = callsIn(file).filter((call) => isSql(project, call.arguments[0]!))
  return calls.map((call) => {
    const at = file.text.indexOf('.', (call.expression as Node).getStart())
    const line = lines.findLastIndex((start) => start <= at) + 1
    const method = (call.expression as unknown as { name: Node }).name.getText()
    return {
      place: `${relative(ROOT, file.fileName)}:${line}`,
      texts: textsOf(project, call.arguments[0] as Expression),
      row: rowOf(project, call, method),
    }
  })
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
}

/** The calls of a file that run a statement, by the name of the method and its one argument. */
function callsIn(node: Node): CallExpression[] {
  const calls: CallExpression[] = []
  const visit = (each: Node): void => {
    if (isStatementCall(each)) calls.push(each)
    each.forEachChild(visit)
  }
  visit(node)
  return calls
}

function isStatementCall(node: Node): node is CallExpression {
  if (!isCallExpression(node) || node.arguments.length !== 1) return false
  const { expression } = node
  return (
    isPropertyAccessExpression(expression) &&
    METHODS.has(expression.name.getText()) &&
    isIdentifier(expression.name)
  )
}

/** The fields of `Row` in the `Promise` that a call returns. */
function rowOf(
  { checker }: Project,
  call: CallExpression,
  method: string,
): Map<string, Kinds> | undefined {
  const promise = checker.getTypeAtLocation(call)
  const [result] = promise ? checker.getTypeArguments(promise as never) : []
  if (!result) return undefined
  const row = ['rows', 'hot'].includes(method)
    ? checker.getTypeArguments(result as never)[0]!
    : result
  return fieldsOf(checker, row)
}

function fieldsOf(checker: Project['checker'], row: Type): Map<string, Kinds> | undefined {
  const parts = (row.isUnionType() ? row.getTypes() : [row]).filter(
    ({ flags }) => !(flags & TypeFlags.Undefined),
  )
  if (parts.some(({ flags }) => !(flags & (TypeFlags.Object | TypeFlags.Intersection))))
    return undefined
  const fields = new Map<string, Set<string>>()
  for (const part of parts) {
    for (const property of checker.getPropertiesOfType(part)) {
      const kinds = fields.get(property.name) ?? new Set()
      kindsOf(checker, checker.getTypeOfSymbol(property)!).forEach((kind) => {
        kinds.add(kind)
      })
      fields.set(property.name, kinds)
    }
  }
  return fields
}

const PRIMITIVES: [flags: number, kind: string][] = [
  [TypeFlags.StringLike, 'string'],
  [TypeFlags.NumberLike, 'number'],
  [TypeFlags.BooleanLike, 'boolean'],
  [TypeFlags.BigIntLike, 'bigint'],
  [TypeFlags.Null, 'null'],
  [TypeFlags.Undefined, 'undefined'],
]

/** The kinds of a type: a brand is dropped, and what has no kind of its own is `object`. */
function kindsOf(checker: Project['checker'], type: Type): string[] {
  if (type.isUnionType()) return type.getTypes().flatMap((each) => kindsOf(checker, each))
  if (type.isIntersectionType()) {
    const kinds = type.getTypes().flatMap((each) => kindsOf(checker, each))
    return kinds
      .filter((kind) => kind !== 'object')
      .concat('object')
      .slice(0, 1)
  }
  if (type.isStringLiteralType()) return [`'${type.value}'`]
  const primitive = PRIMITIVES.find(([flags]) => type.flags & flags)
  if (primitive) return [primitive[1]]
  if (type.flags & (TypeFlags.Unknown | TypeFlags.Any | TypeFlags.TypeParameter)) return ['unknown']
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as never)
    const kinds = kindsOf(checker, element!).map((kind) => (kind[0] === "'" ? 'string' : kind))
    return [...new Set(kinds)].map((kind) => `${kind}[]`)
  }
  const name = type.getSymbol()?.name
  return [name === 'Date' || name === 'Buffer' ? name : 'object']
}
