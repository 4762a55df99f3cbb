import {
  type CallExpression,
  type Expression,
  isArrayLiteralExpression,
  isArrowFunction,
  isBindingElement,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isFunctionDeclaration,
  isIdentifier,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isTaggedTemplateExpression,
  isTemplateExpression,
  isVariableDeclaration,
  type Node,
  type ParameterDeclaration,
} from 'typescript/unstable/ast'
import { type Project, SymbolFlags, TypeFlags } from 'typescript/unstable/sync'

// A statement of more alternatives than this is better written as several.
const MAX_ALTERNATIVES = 256

// What a value is while the statement around it is not complete.
const VALUE = '«value»'
const NULLABLE = '«nullable»'

const MAY_BE_NULL = TypeFlags.Null | TypeFlags.Undefined | TypeFlags.Unknown | TypeFlags.Any

/** What the source does not say: which fragment it is. */
class Unreadable extends Error {}

/** One way to compose a statement. */
export interface Alternative {
  text: string
  /** The numbers of the values that may be null. */
  nullable: Set<string>
  /** The branch of each condition that this way takes. */
  branches: string[]
}

/**
 * Every text that a `Sql` expression may have, with `$1`, `$2` … for its values. Parts are followed
 * through constants, functions and their arguments; each branch of a condition is an alternative.
 * Empty where a part cannot be followed.
 */
export function textsOf(project: Project, expression: Expression): Alternative[] {
  const choices = new Choices()
  const found = new Map<string, Alternative>()
  try {
    do {
      const composed = new Reader(project, choices).read(expression, new Map())
      const { text, nullable } = numbered(composed)
      if (text === '' || found.size > MAX_ALTERNATIVES) return []
      const branches = [...(found.get(text)?.branches ?? []), ...choices.taken()]
      found.set(text, { text, nullable, branches })
    } while (choices.advance())
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return []
  }
  return [...found.values()]
}

function numbered(composed: string): Pick<Alternative, 'text' | 'nullable'> {
  const nullable = new Set<string>()
  let count = 0
  const text = composed.replaceAll(/«(?:value|nullable)»/g, (mark) => {
    count++
    if (mark === NULLABLE) nullable.add(String(count))
    return `$${count}`
  })
  return { text, nullable }
}

/** Whether an expression is a statement or a part of one. */
export function isSql({ checker }: Project, expression: Node): boolean {
  return /^(Rows)?Sql$/.test(checker.getTypeAtLocation(expression)?.getSymbol()?.name ?? '')
}

/** The parts of statements that are made from the types of columns, by the function's name. */
const OF_COLUMNS: Record<string, (columns: [name: string, type: string][]) => string> = {
  rowsOf: (columns) =>
    `unnest(${columns.map(([, type]) => `${VALUE}::${type}[]`).join(', ')})
      as row (${columns.map(([name]) => name).join(', ')})`,
  columnsOf: (columns) => columns.map(([name]) => name).join(', '),
  rowColumnsOf: (columns) => columns.map(([name]) => `row.${name}`).join(', '),
  fieldsOf: (columns) => columns.map(([name]) => `${name} = row.${name}`).join(', '),
}

/** The alternatives taken on one way through a statement: one condition is decided once. */
class Choices {
  readonly #taken = new Map<string, { choice: number; of: number }>()

  choose(key: string, of: number): number {
    const known = this.#taken.get(key)
    if (known) return known.choice
    this.#taken.set(key, { choice: 0, of })
    return 0
  }

  taken(): string[] {
    return [...this.#taken].map(([key, { choice }]) => `${key} → ${choice}`)
  }

  /** Goes on to the next way; false after the last one. */
  advance(): boolean {
    for (const [key, taken] of [...this.#taken].reverse()) {
      this.#taken.delete(key)
      if (taken.choice + 1 < taken.of) {
        this.#taken.set(key, { ...taken, choice: taken.choice + 1 })
        return true
      }
    }
    return false
  }
}

/** Arguments of the functions that are being read, by the parameter's declaration. */
type Scope = Map<Node, { expression: Expression; scope: Scope }>

class Reader {
  readonly #project: Project
  readonly #choices: Choices

  constructor(project: Project, choices: Choices) {
    this.#project = project
    this.#choices = choices
  }

  read(node: Node, scope: Scope): string {
    if (isTaggedTemplateExpression(node)) return this.#template(node.template, scope)
    if (isConditionalExpression(node)) {
      const key = node.condition.getText()
      const branch = this.#choices.choose(key, 2) === 0 ? node.whenTrue : node.whenFalse
      return this.read(branch, scope)
    }
    if (isCallExpression(node)) return this.#call(node, scope)
    if (isElementAccessExpression(node)) {
      const options = this.#literal(node.expression)
      const key = node.argumentExpression.getText()
      return this.read(options[this.#choices.choose(key, options.length)]!, scope)
    }
    if (isIdentifier(node) || isPropertyAccessExpression(node)) return this.#name(node, scope)
    throw new Unreadable(node.getText())
  }

  #template(template: Node, scope: Scope): string {
    if (!isTemplateExpression(template)) return (template as unknown as { text: string }).text
    return template.templateSpans.reduce(
      (text, span) =>
        text +
        (isSql(this.#project, span.expression)
          ? this.read(span.expression, scope)
          : this.#value(span.expression)) +
        span.literal.text,
      template.head.text,
    )
  }

  #value(expression: Node): string {
    const type = this.#project.checker.getTypeAtLocation(expression)
    const types = type?.isUnionType() ? type.getTypes() : [type]
    return types.some((each) => !each || each.flags & MAY_BE_NULL) ? NULLABLE : VALUE
  }

  /** The declaration that a name leads to, through imports. */
  #declaration(name: Node): Node {
    const { checker } = this.#project
    let symbol = checker.getSymbolAtLocation(name)
    if (symbol && symbol.flags & SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol)
    const declaration = symbol?.valueDeclaration?.resolve(this.#project)
    if (!declaration) throw new Unreadable(name.getText())
    return declaration
  }

  #name(name: Node, scope: Scope): string {
    const declaration = this.#declaration(name)
    const bound = scope.get(declaration)
    if (bound) return this.read(bound.expression, bound.scope)
    if (isParameterDeclaration(declaration)) return this.#parameter(declaration)
    if (isBindingElement(declaration)) return this.read(this.#element(declaration), scope)
    const hasValue = isVariableDeclaration(declaration) || isPropertyAssignment(declaration)
    if (hasValue && declaration.initializer) return this.read(declaration.initializer, scope)
    throw new Unreadable(name.getText())
  }

  #call(call: CallExpression, scope: Scope): string {
    const ofColumns = OF_COLUMNS[call.expression.getText()]
    if (ofColumns) return ofColumns(this.#columns(call.arguments.at(-1) as Expression))
    let callee = this.#declaration(call.expression)
    if (isVariableDeclaration(callee) && callee.initializer) callee = callee.initializer
    if (!isFunctionDeclaration(callee) && !isArrowFunction(callee)) {
      throw new Unreadable(call.getText())
    }
    const inner: Scope = new Map(scope)
    callee.parameters.forEach((parameter, index) => {
      const expression = call.arguments[index] as Expression | undefined
      if (expression) inner.set(parameter, { expression, scope })
    })
    const { body } = callee
    if (!body) throw new Unreadable(call.getText())
    if (!isBlock(body)) return this.read(body, inner)
    const returned = returnsIn(body)
    const choice = this.#choices.choose(`return of ${call.getText()}`, returned.length)
    return this.read(returned[choice]!, inner)
  }

  /** The columns of a constant with their types, which are literals. */
  #columns(types: Expression): [name: string, type: string][] {
    const { checker } = this.#project
    return checker.getPropertiesOfType(checker.getTypeAtLocation(types)!).map((property) => {
      const type = checker.getTypeOfSymbol(property)
      if (!type?.isStringLiteralType()) throw new Unreadable(types.getText())
      return [property.name, type.value]
    })
  }

  /** What the callers pass as a parameter of the function that runs the statement. */
  #parameter(parameter: ParameterDeclaration): string {
    const owner = parameter.parent
    // A callback's callers are not known: the statement is read without that part.
    if (!isFunctionDeclaration(owner)) return ''
    const index = owner.parameters.indexOf(parameter)
    const calls = this.#project.checker
      .getSignatureUsage(owner)
      .flatMap(({ call }) => call?.resolve(this.#project) ?? [])
      .filter((call) => isCallExpression(call))
    if (calls.length === 0) throw new Unreadable(parameter.getText())
    const call = calls[this.#choices.choose(`caller of ${owner.name?.getText()}`, calls.length)]!
    const expression = call.arguments[index] as Expression | undefined
    if (!expression) throw new Unreadable(parameter.getText())
    return this.read(expression, new Map())
  }

  /** A part of the rows of a constant table that a loop goes through. */
  #element(binding: Node): Expression {
    const pattern = binding.parent as unknown as { elements: Node[]; parent: Node }
    const loop = pattern.parent.parent?.parent as unknown as { expression?: Node }
    if (!loop?.expression) throw new Unreadable(binding.getText())
    const rows = this.#literal(loop.expression)
    const row = rows[this.#choices.choose(loop.expression.getText(), rows.length)]!
    const cell = isArrayLiteralExpression(row)
      ? row.elements[pattern.elements.indexOf(binding)]
      : undefined
    if (!cell) throw new Unreadable(binding.getText())
    return cell as Expression
  }

  /** The values of a constant object or array. */
  #literal(name: Node): Expression[] {
    const declaration = this.#declaration(name)
    const value = isVariableDeclaration(declaration) ? declaration.initializer : undefined
    if (value && isArrayLiteralExpression(value)) return [...value.elements] as Expression[]
    if (!value || !isObjectLiteralExpression(value)) throw new Unreadable(name.getText())
    return value.properties.map((property) => {
      if (!isPropertyAssignment(property)) throw new Unreadable(property.getText())
      return property.initializer as Expression
    })
  }
}

function returnsIn(block: Node): Expression[] {
  const found: Expression[] = []
  const visit = (node: Node): void => {
    if (isFunctionDeclaration(node) || isArrowFunction(node)) return
    if (isReturnStatement(node) && node.expression) found.push(node.expression as Expression)
    node.forEachChild(visit)
  }
  visit(block)
  return found
}
