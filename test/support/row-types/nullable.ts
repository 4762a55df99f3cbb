import { nodeOf, nodesOf, type TreeNode, wordOf } from './query-tree.ts'

/** What is known of the columns, functions and parameters that a query names. */
export interface Catalog {
  /** Whether a parameter, by its number, may be null. */
  mayBeNull(parameter: string): boolean
  /** Whether a table's column, by `oid.number`, may be null. */
  isNullable(column: string): boolean
  /** The query of a view, by oid; undefined for a table. */
  viewOf(oid: string): TreeNode | undefined
  /** Whether a function, by oid, returns a value for values that are not null. */
  isTotal(oid: string): boolean
  /** Whether an aggregate, by oid, returns a value for no row at all: it counts. */
  isCount(oid: string): boolean
}

/** A column of a query's result. */
export interface QueryColumn {
  name: string
  null: boolean
  /** The table's column that it is, as `oid.number`; `0.0` where it is none. */
  origin: string
}

/** Ranges of `rtekind`, as PostgreSQL numbers them. */
const RTE = {
  table: '0',
  subquery: '1',
  join: '2',
  function: '3',
  values: '5',
  cte: '6',
  group: '9',
}

/** The columns of a query's result, in their order, each with whether it may be null. */
export function columnsOf(query: TreeNode, catalog: Catalog): QueryColumn[] {
  return new Query(query, catalog).columns()
}

/** A query inside of its outer one; decides which of its expressions may be null. */
class Query {
  readonly #query: TreeNode
  readonly #catalog: Catalog
  readonly #outer: Query | undefined
  readonly #ranges: TreeNode[]
  readonly #known = new Set<string>()
  // Whether a column is meant as an update leaves it.
  #isReturning = false

  constructor(query: TreeNode, catalog: Catalog, outer?: Query) {
    this.#query = query
    this.#catalog = catalog
    this.#outer = outer
    this.#ranges = nodesOf(query, 'rtable')
    const from = nodeOf(query, 'jointree')
    if (from) this.#learn(from)
  }

  columns(): QueryColumn[] {
    const command = wordOf(this.#query, 'commandType')
    const isSelect = command === '1'
    this.#isReturning = command === '2'
    const entries = nodesOf(this.#query, isSelect ? 'targetList' : 'returningList')
    const branches = this.#branches(nodeOf(this.#query, 'setOperations'))
    return entries
      .filter((entry) => wordOf(entry, 'resjunk') === 'false')
      .map((entry, index) => ({
        name: wordOf(entry, 'resname'),
        origin: `${wordOf(entry, 'resorigtbl')}.${wordOf(entry, 'resorigcol')}`,
        null:
          branches.length > 0
            ? branches.some((branch) => branch[index]!.null)
            : this.isNull(nodeOf(entry, 'expr')!),
      }))
  }

  /** The columns of each query that a union is made of. */
  #branches(operation: TreeNode | undefined): { null: boolean }[][] {
    if (!operation) return []
    if (operation.tag === 'RANGETBLREF') return [this.#columnsOfRange(this.#range(operation))]
    return [
      ...this.#branches(nodeOf(operation, 'larg')),
      ...this.#branches(nodeOf(operation, 'rarg')),
    ]
  }

  #range(reference: TreeNode): TreeNode {
    return this.#ranges[Number(wordOf(reference, 'rtindex')) - 1]!
  }

  /** Notes the columns that conditions on every row keep from being null. */
  #learn(node: TreeNode): void {
    const isInner = node.tag === 'FROMEXPR' || wordOf(node, 'jointype') === '0'
    const quals = nodeOf(node, 'quals')
    if (isInner && quals) this.#learnFrom(quals)
    if (node.tag === 'FROMEXPR') for (const each of nodesOf(node, 'fromlist')) this.#learn(each)
    // The side of an outer join that is always there.
    if (node.tag === 'JOINEXPR') {
      const type = wordOf(node, 'jointype')
      for (const side of type === '0' ? ['larg', 'rarg'] : type === '1' ? ['larg'] : []) {
        const part = nodeOf(node, side)
        if (part) this.#learn(part)
      }
    }
  }

  #learnFrom(condition: TreeNode): void {
    if (condition.tag === 'BOOLEXPR' && wordOf(condition, 'boolop') === 'and') {
      for (const each of nodesOf(condition, 'args')) this.#learnFrom(each)
    }
    for (const each of this.#comparedIn(condition)) {
      const isOwn = each.tag === 'VAR' && wordOf(each, 'varlevelsup') === '0'
      if (isOwn) this.#known.add(keyOf(each))
    }
  }

  /** The expressions of which a condition says nothing if they are null, so that it fails. */
  #comparedIn(condition: TreeNode): TreeNode[] {
    const args = nodesOf(condition, 'args')
    if (condition.tag === 'NULLTEST' && wordOf(condition, 'nulltesttype') === '1') {
      return [nodeOf(condition, 'arg')!]
    }
    // `any` of an array, but not `all`: every value is unlike the elements of an empty one.
    if (condition.tag === 'SCALARARRAYOPEXPR' && wordOf(condition, 'useOr') === 'true') {
      return args.slice(0, 1)
    }
    const isStrict =
      condition.tag === 'OPEXPR' && this.#catalog.isTotal(wordOf(condition, 'opfuncid'))
    return isStrict ? args : []
  }

  /** Whether an expression may be null. */
  isNull(node: TreeNode): boolean {
    const args = () => nodesOf(node, 'args').some((each) => this.isNull(each))
    const arg = () => this.isNull(nodeOf(node, 'arg')!)
    switch (node.tag) {
      case 'VAR':
        return this.#out(Number(wordOf(node, 'varlevelsup'))).#isOwnVarNull(node)
      case 'CONST':
        return wordOf(node, 'constisnull') === 'true'
      case 'PARAM':
        return this.#catalog.mayBeNull(wordOf(node, 'paramid'))
      case 'NULLTEST':
      case 'BOOLEANTEST':
      case 'DISTINCTEXPR':
      case 'ARRAYEXPR':
      case 'ROWEXPR':
      case 'SQLVALUEFUNCTION':
        return false
      case 'COALESCEEXPR':
      case 'MINMAXEXPR':
        return nodesOf(node, 'args').every((each) => this.isNull(each))
      case 'BOOLEXPR':
      case 'SCALARARRAYOPEXPR':
        return args()
      case 'OPEXPR':
        return !this.#catalog.isTotal(wordOf(node, 'opfuncid')) || args()
      case 'FUNCEXPR':
        return !this.#catalog.isTotal(wordOf(node, 'funcid')) || args()
      case 'RELABELTYPE':
      case 'COERCEVIAIO':
      case 'ARRAYCOERCEEXPR':
        return arg()
      case 'CASEEXPR':
        return [nodeOf(node, 'defresult'), ...nodesOf(node, 'args').map(resultOf)].some(
          (each) => !each || this.isNull(each),
        )
      case 'AGGREF':
        return this.#isAggregateNull(node)
      case 'WINDOWFUNC':
        return !this.#catalog.isCount(wordOf(node, 'winfnoid'))
      case 'SUBLINK':
        return this.#isSublinkNull(node)
      default:
        return true
    }
  }

  /** The query that is so many levels further out. */
  #out(levels: number): Query {
    return levels === 0 ? this : this.#outer!.#out(levels - 1)
  }

  #isOwnVarNull(node: TreeNode): boolean {
    const written = this.#writtenTo(node)
    if (written) {
      const isNull = new Query(this.#query, this.#catalog, this.#outer).isNull(written)
      return isNull && this.#isColumnNull(node)
    }
    if (this.#known.has(keyOf(node))) return false
    const nulling = node.fields.get('varnullingrels')
    if (Array.isArray(nulling) && nulling.length > 1) return true
    return this.#isColumnNull(node)
  }

  #isColumnNull(node: TreeNode): boolean {
    const range = this.#ranges[Number(wordOf(node, 'varno')) - 1]!
    const number = Number(wordOf(node, 'varattno'))
    // The row as a whole.
    if (number === 0) return false
    const kind = wordOf(range, 'rtekind')
    if (kind === RTE.table) {
      const view = this.#catalog.viewOf(wordOf(range, 'relid'))
      if (view) return new Query(view, this.#catalog).columns()[number - 1]!.null
      return this.#catalog.isNullable(`${wordOf(range, 'relid')}.${number}`)
    }
    if (kind === RTE.join) return this.#isMergedNull(nodesOf(range, 'joinaliasvars')[number - 1]!)
    if (kind === RTE.group) return this.isNull(nodesOf(range, 'groupexprs')[number - 1]!)
    return this.#columnsOfRange(range)[number - 1]?.null ?? true
  }

  /** What an update sets a column to: `returning` has the new value. */
  #writtenTo(node: TreeNode): TreeNode | undefined {
    const isTarget = wordOf(this.#query, 'resultRelation') === wordOf(node, 'varno')
    if (!this.#isReturning || !isTarget) return undefined
    const entry = nodesOf(this.#query, 'targetList').find(
      (each) => wordOf(each, 'resno') === wordOf(node, 'varattno'),
    )
    return entry && nodeOf(entry, 'expr')
  }

  /** A column that both sides of a join share; in a full join one side or the other has it. */
  #isMergedNull(node: TreeNode): boolean {
    if (node.tag !== 'COALESCEEXPR') return this.isNull(node)
    return nodesOf(node, 'args').some((each) =>
      this.isNull({ tag: each.tag, fields: new Map([...each.fields, ['varnullingrels', []]]) }),
    )
  }

  /** The columns of what is in `from`, where that is no table. */
  #columnsOfRange(range: TreeNode): { null: boolean }[] {
    const kind = wordOf(range, 'rtekind')
    if (kind === RTE.subquery) {
      return new Query(nodeOf(range, 'subquery')!, this.#catalog, this).columns()
    }
    if (kind === RTE.cte) return this.#cte(range)
    // Elements of an array of ours, and numbers of a series; a record's fields may be absent.
    if (kind === RTE.function) {
      return nodesOf(range, 'functions').map((each) => ({
        null: Array.isArray(each.fields.get('funccolnames')),
      }))
    }
    return []
  }

  #cte(range: TreeNode): { null: boolean }[] {
    const query = this.#out(Number(wordOf(range, 'ctelevelsup')))
    const cte = nodesOf(query.#query, 'cteList').find(
      (each) => wordOf(each, 'ctename') === wordOf(range, 'ctename'),
    )!
    // The rows of a recursive query are like those that it begins with.
    if (wordOf(range, 'self_reference') === 'true') {
      const begin = nodesOf(nodeOf(cte, 'ctequery')!, 'rtable')[0]!
      return query.#columnsOfRange(begin)
    }
    return new Query(nodeOf(cte, 'ctequery')!, this.#catalog, query).columns()
  }

  #isAggregateNull(node: TreeNode): boolean {
    if (this.#catalog.isCount(wordOf(node, 'aggfnoid'))) return false
    const isGrouped = nodesOf(this.#query, 'groupClause').length > 0
    if (!isGrouped || nodeOf(node, 'aggfilter')) return true
    return nodesOf(node, 'args').some((entry) => this.isNull(nodeOf(entry, 'expr')!))
  }

  #isSublinkNull(node: TreeNode): boolean {
    const kind = wordOf(node, 'subLinkType')
    const query = nodeOf(node, 'subselect')!
    // 0: exists, 4: one value, 6: array.
    if (kind === '0' || kind === '6') return false
    const columns = new Query(query, this.#catalog, this).columns()
    if (kind !== '4') return columns.some((column) => column.null)
    return !isAlwaysOneRow(query) || columns[0]!.null
  }
}

/** An aggregate over everything, or a `select` from nothing, without a condition on its row. */
function isAlwaysOneRow(query: TreeNode): boolean {
  const from = nodeOf(query, 'jointree')!
  const isAggregate =
    wordOf(query, 'hasAggs') === 'true' &&
    nodesOf(query, 'groupClause').length === 0 &&
    !nodeOf(query, 'havingQual')
  return isAggregate || (nodesOf(from, 'fromlist').length === 0 && !nodeOf(from, 'quals'))
}

function resultOf(when: TreeNode): TreeNode | undefined {
  return nodeOf(when, 'result')
}

function keyOf(node: TreeNode): string {
  return `${wordOf(node, 'varno')}.${wordOf(node, 'varattno')}`
}
